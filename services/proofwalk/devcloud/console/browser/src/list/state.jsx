import { Icon } from '@alicloud/console-components'
import { stateOf } from '../core/schema.js'

const LOOKS = {
  success: { type: 'success', color: '#1e8e3e' },
  progress: { type: 'loading', color: '#0064c8' },
  warning: { type: 'warning', color: '#e8710a' },
  error: { type: 'error', color: '#d93026' },
  muted: { type: 'minus', color: '#808080' },
}

export function State({ resource, status }) {
  const { tone, label } = stateOf(resource, status)
  const { type, color } = LOOKS[tone] ?? LOOKS.muted
  return <span className="state"><Icon type={type} size="xs" style={{ color }} /> {label}</span>
}
