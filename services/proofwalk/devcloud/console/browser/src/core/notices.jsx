// How the console answers: a notification in the corner for what was accepted, a message with a code for what was refused.
import { Button, Message, Notification } from '@alicloud/console-components'
import { t } from './words.js'

export const submitted = (label) => Notification.success({ title: t('{label}: request submitted', { label }), duration: 4500 })

export const failed = (error) => Notification.error({ title: error.code ?? t('Error'), content: error.message, duration: 8000 })

/** `onRetry` is offered where trying again may help. */
export function ErrorMessage({ error, onRetry }) {
  if (!error) return null
  return (
    <Message type="error" className="error-message" title={error.code}>
      {error.message}
      {error.requestId && <div className="request-id">{t('Request ID: {id}', { id: error.requestId })}</div>}
      {onRetry && error.passing && <div className="error-retry"><Button size="small" onClick={onRetry}>{t('Retry')}</Button></div>}
    </Message>
  )
}
