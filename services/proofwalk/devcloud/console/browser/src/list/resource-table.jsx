// A list of one resource: create button, search, batch, table with filters and row actions, pages.
// The menu's list pages and the sub-tables of a detail page are the same component; `where` narrows the latter.
import { useState } from 'react'
import { Pagination, Table } from '@alicloud/console-components'
import { api } from '../core/api.js'
import { useConsole } from '../core/console.jsx'
import { ErrorMessage } from '../core/notices.jsx'
import { columnKey, isMoving } from '../core/schema.js'
import { usePolled } from '../core/use-polled.js'
import { t } from '../core/words.js'
import { CreateOverlay } from '../form/create-overlay.jsx'
import { useSwap } from '../trouble/visit.jsx'
import { listColumns } from './columns.jsx'
import { RowActions } from './row-actions.jsx'
import { Toolbar } from './toolbar.jsx'
import { useActions } from './use-actions.jsx'

const PAGE_SIZES = [10, 20, 50]

const found = (row, ids, words) => ids.some((id) => String(row[id] ?? '').toLowerCase().includes(words))

function sorted(rows, { field, order }) {
  if (!field || !order) return rows
  const sign = order === 'desc' ? -1 : 1
  return [...rows].sort((a, b) => sign * String(a[field] ?? '').localeCompare(String(b[field] ?? ''), 'en', { numeric: true }))
}

/** `creating`, `onCreate`, `onCloseCreate`: where the create form is open is decided by the place (address or state). */
export function ResourceTable({ product, resource, resourceId, where, creating, onCreate, onCloseCreate }) {
  const { region } = useConsole()
  const [words, setWords] = useState('')
  const [filters, setFilters] = useState({})
  const [sort, setSort] = useState({})
  const [page, setPage] = useState(1)
  const [pageSize, setPageSize] = useState(PAGE_SIZES[0])
  const [selected, setSelected] = useState([])

  const key = JSON.stringify([product.id, resourceId, region, where])
  const { data, error, loading, reload } = usePolled(
    key,
    async (poll) => (await api.rows(product.id, resourceId, region, where, poll)).rows,
    (rows) => rows.some((row) => isMoving(resource, row)),
  )
  const rows = data ?? []
  const { run, dialog } = useActions({ product, resource, resourceId, onDone: () => { setSelected([]); reload() } })

  const swap = useSwap(Boolean(data))

  const { search = [], batch = [] } = resource.list ?? {}
  const actions = resource.actions ?? []
  const matching = sorted(rows.filter((row) =>
    (!words || found(row, search, words.toLowerCase())) &&
    Object.entries(filters).every(([column, wanted]) => !wanted.length || wanted.includes(String(row[columnKey(column)])))), sort)
  const pages = Math.max(1, Math.ceil(matching.length / pageSize))
  const shown = Math.min(page, pages)
  const present = selected.filter((id) => rows.some((row) => row.id === id))

  return (
    <div className="resource-table">
      <Toolbar key={`tools-${swap}`} resource={resource} words={words} batch={batch.map((id) => actions.find((action) => action.id === id)).filter(Boolean)}
        selection={rows.filter((row) => present.includes(row.id))} loading={loading}
        onCreate={resource.create && onCreate} onSearch={(text) => { setWords(text); setPage(1) }} onRefresh={reload} run={run} />
      <ErrorMessage error={error} onRetry={reload} />
      <Table key={`rows-${swap}`} primaryKey="id" size="small" hasBorder={false} loading={loading && !data} emptyContent={t('No data available.')}
        dataSource={matching.slice((shown - 1) * pageSize, shown * pageSize)}
        sort={sort.field ? { [sort.field]: sort.order } : {}}
        onSort={(field, order) => setSort({ field, order })}
        onFilter={(chosen) => {
          setFilters((before) => ({ ...before, ...Object.fromEntries(Object.entries(chosen).map(([id, { selectedKeys }]) => [id, selectedKeys])) }))
          setPage(1)
        }}
        rowSelection={batch.length ? { selectedRowKeys: present, onChange: setSelected } : undefined}>
        {listColumns({ product, resource, resourceId, rows })}
        {actions.length > 0 && (
          <Table.Column title={t('Actions')} width={220} cell={(_value, _index, row) => <RowActions actions={actions} row={row} run={run} />} />
        )}
      </Table>
      <Pagination className="resource-table-pages" total={matching.length} pageSize={pageSize} current={shown} onChange={setPage}
        pageSizeSelector="dropdown" pageSizeList={PAGE_SIZES} onPageSizeChange={(size) => { setPageSize(size); setPage(1) }}
        totalRender={(total) => t('Total: {count}', { count: total })} />
      {creating && resource.create && (
        <CreateOverlay product={product} resource={resource} resourceId={resourceId} fixed={where} onClose={onCloseCreate}
          onDone={() => { onCloseCreate(); reload() }} />
      )}
      {dialog}
    </div>
  )
}
