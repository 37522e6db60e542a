// A row's actions: the first two as links, the rest behind "⋮"; what the row's state forbids is grey and says why.
import { Balloon } from '@alicloud/console-components'
import Actions, { LinkButton } from '@alicloud/console-components-actions'
import { refusal } from '../core/schema.js'

const INLINE = 2

function RowAction({ label, disabled, reason, onClick }) {
  if (!disabled) return <LinkButton onClick={onClick}>{label}</LinkButton>
  const trigger = <span className="refused"><LinkButton disabled>{label}</LinkButton></span>
  return <Balloon.Tooltip trigger={trigger} align="t" delay={100}>{reason}</Balloon.Tooltip>
}

export function RowActions({ actions, row, run, inline = INLINE }) {
  return (
    <Actions threshold={inline}>
      {actions.map((action) => {
        const reason = refusal(action, row)
        return <RowAction key={action.id} label={action.label} disabled={Boolean(reason)} reason={reason} onClick={() => run(action, [row])} />
      })}
    </Actions>
  )
}
