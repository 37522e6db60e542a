// How the console answers: a notification in the corner for what was accepted, a message with a code for what was refused.
import { Message, Notification } from '@alicloud/console-components'

export const submitted = (label) => Notification.success({ title: `${label}: request submitted`, duration: 4500 })

export const failed = (error) => Notification.error({ title: error.code ?? 'Error', content: error.message, duration: 8000 })

export function ErrorMessage({ error }) {
  if (!error) return null
  return (
    <Message type="error" className="error-message" title={error.code}>
      {error.message}
      {error.requestId && <div className="request-id">Request ID: {error.requestId}</div>}
    </Message>
  )
}
