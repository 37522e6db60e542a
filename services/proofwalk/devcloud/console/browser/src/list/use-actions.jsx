// Taking an action on rows: at once, or through its dialog. One request per row, in order; the first refusal stops the rest.
import { useState } from 'react'
import { api } from '../core/api.js'
import { useConsole } from '../core/console.jsx'
import { failed, submitted } from '../core/notices.jsx'
import { ActionDialog } from '../form/action-dialog.jsx'

/** {run(action, rows), dialog}. `onDone` runs after every attempt, since part of a batch may have been accepted. */
export function useActions({ product, resource, resourceId, onDone }) {
  const { region } = useConsole()
  const [open, setOpen] = useState(null)

  const request = async (action, rows, values) => {
    try {
      for (const row of rows) await api.act(product.id, resourceId, row.id, action.id, row.region ?? region, values)
      submitted(action.label)
    } finally {
      onDone()
    }
  }

  const run = (action, rows) => {
    if (action.confirm || action.form?.length) setOpen({ action, rows })
    else request(action, rows, {}).catch(failed)
  }

  const dialog = open && (
    <ActionDialog action={open.action} rows={open.rows} resource={resource} region={region}
      onClose={() => setOpen(null)} onSubmit={(values) => request(open.action, open.rows, values)} />
  )
  return { run, dialog }
}
