// An action that asks first: a warning, a form prefilled from the row, a name to type, then one request per row.
import { useState } from 'react'
import { Dialog, Input, Message } from '@alicloud/console-components'
import { ErrorMessage } from '../core/notices.jsx'
import { fieldOf, initialValues } from '../core/schema.js'
import { t } from '../core/words.js'
import { Fields } from './fields.jsx'
import { useForm } from './use-form.js'

const STYLE = { width: 640 }

/** The form starts from the row; a batch starts from the defaults, since its rows differ. */
function startFrom(action, resource, rows, region) {
  const ids = action.form ?? []
  const initial = initialValues(resource, region)
  const row = rows.length === 1 ? rows[0] : {}
  return Object.fromEntries(ids.map((id) => [id, row[id] ?? initial[id]]).filter(([, value]) => value !== undefined))
}

/** What must be typed: the row's name; for several rows, which have several names, the action's own. */
function wordToType(confirm, action, rows) {
  if (!confirm.typed) return null
  return rows.length === 1 ? String(rows[0][confirm.typed] || rows[0].id) : action.label
}

export function ActionDialog({ action, resource, rows, region, onClose, onSubmit }) {
  const confirm = action.confirm ?? {}
  const ids = action.form ?? []
  const word = wordToType(confirm, action, rows)
  const [typed, setTyped] = useState('')
  const form = useForm(resource, () => ({ ...(rows.length === 1 ? rows[0] : {}), ...startFrom(action, resource, rows, region) }))
  const locked = ids.filter((id) => fieldOf(resource, id).immutable)

  const submit = async () => {
    if (!form.check(ids)) return
    if (await form.send(ids, {}, onSubmit)) onClose()
  }

  return (
    <Dialog
      visible title={confirm.title ?? action.label} style={STYLE} closeMode={['close', 'esc']}
      onClose={onClose} onCancel={onClose} onOk={submit}
      okProps={{ children: confirm.ok ?? t('OK'), warning: Boolean(action.danger), loading: form.busy, disabled: word !== null && typed !== word }}
    >
      <div className="action-dialog">
        {confirm.text && <Message type={action.danger ? 'warning' : 'notice'}>{confirm.text}</Message>}
        {(confirm.text || rows.length > 1) && (
          <ul className="action-rows">
            {rows.map((row) => <li key={row.id}>{row.id}{row[resource.name] ? ` / ${row[resource.name]}` : ''}</li>)}
          </ul>
        )}
        {ids.length > 0 && (
          <Fields resource={resource} ids={ids} values={form.values} setValues={form.setValues} errors={form.errors} locked={locked} />
        )}
        {word !== null && (
          <div className="typed-confirmation">
            <p>{t('Enter')} <b>{word}</b> {t('to confirm')}</p>
            <Input style={{ width: '100%' }} value={typed} onChange={setTyped} placeholder={word} />
          </div>
        )}
        <ErrorMessage error={form.refused} />
      </div>
    </Dialog>
  )
}
