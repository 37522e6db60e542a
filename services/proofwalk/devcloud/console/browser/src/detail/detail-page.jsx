// One resource: its name and state, its actions, and tabs that nest. The open tab is part of the address.
import { Loading } from '@alicloud/console-components'
import { api } from '../core/api.js'
import { useConsole } from '../core/console.jsx'
import { ErrorMessage } from '../core/notices.jsx'
import { navigate, pathTo } from '../core/router.js'
import { isMoving } from '../core/schema.js'
import { usePolled } from '../core/use-polled.js'
import { RowActions } from '../list/row-actions.jsx'
import { State } from '../list/state.jsx'
import { useActions } from '../list/use-actions.jsx'
import { NotFound } from '../pages/not-found.jsx'
import { Page } from '../shell/page.jsx'
import { useSwap } from '../trouble/visit.jsx'
import { Tabs } from './tabs.jsx'

const INLINE = 3

export function DetailPage({ product, entry, resource, resourceId, id, tab }) {
  const { region } = useConsole()
  const list = pathTo(product.id, entry.id)
  const { data: row, error, reload } = usePolled(
    JSON.stringify([product.id, resourceId, id, region]),
    (poll) => api.row(product.id, resourceId, id, region, poll),
    (current) => isMoving(resource, current),
  )
  const swap = useSwap(Boolean(row))
  const { run, dialog } = useActions({ product, resource, resourceId, onDone: reload })

  if (error?.status === 404) return <NotFound what={`${resource.label} ${id}`} />
  const trail = [{ label: product.title, path: pathTo(product.id) }, { label: entry.label, path: list }, { label: id }]
  const title = <>{row?.[resource.name] || id} {row && <State resource={resource} status={row.status} />}</>
  const actions = row && resource.actions?.length > 0 && <RowActions key={swap} actions={resource.actions} row={row} run={run} inline={INLINE} />
  return (
    <Page title={title} trail={trail} back={list} extra={actions}>
      <ErrorMessage error={error} onRetry={reload} />
      {!row && !error && <Loading className="whole-page" />}
      {row && (
        <Tabs product={product} resource={resource} row={row} tabs={resource.detail?.tabs ?? []} path={tab?.split('/') ?? []}
          onOpen={(path) => navigate(`${pathTo(product.id, entry.id, id)}?tab=${path.map(encodeURIComponent).join('/')}`)} />
      )}
      {dialog}
    </Page>
  )
}
