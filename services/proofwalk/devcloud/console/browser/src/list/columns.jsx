// The columns of a list: "@id" is the link with the name below it, "@status" the state with its icon, others are fields.
import { Table } from '@alicloud/console-components'
import { columnKey, display, fieldOf, fixedOptions, menuOf, stateOf } from '../core/schema.js'
import { navigate, pathTo } from '../core/router.js'
import { t } from '../core/words.js'
import { State } from './state.jsx'

const isState = (column) => columnKey(column) === 'status'

const orderOf = (column, rows) => {
  const present = [...new Set(rows.map((row) => row[columnKey(column)]))]
  return present.filter((value) => value !== undefined && value !== null && typeof value !== 'object').sort()
}

/** The choices of a header filter: every known state or option, and whatever else the rows hold. */
function filterChoices(resource, column, rows) {
  const known = isState(column) ? Object.keys(resource.states ?? {}) : fixedOptions(fieldOf(resource, column)).map(({ value }) => value)
  const values = [...new Set([...known, ...orderOf(column, rows)])]
  const label = (value) => (isState(column) ? stateOf(resource, value).label : display(fieldOf(resource, column), value))
  return values.map((value) => ({ value: String(value), label: label(value) }))
}

export function listColumns({ product, resource, resourceId, rows }) {
  const { columns = ['@id', '@status'], filters = [] } = resource.list ?? {}
  const entry = resource.detail && menuOf(product, resourceId)
  return columns.map((column) => {
    const filter = filters.includes(column) && { filters: filterChoices(resource, column, rows), filterMode: 'multiple' }
    if (column === '@id') {
      return (
        <Table.Column key={column} dataIndex="id" title={resource.name ? t('{label} ID/Name', resource) : t('{label} ID', resource)} width={200}
          cell={(id, _index, row) => (
            <div className="id-cell">
              {entry ? <a onClick={() => navigate(pathTo(product.id, entry.id, id))}>{id}</a> : <span>{id}</span>}
              {resource.name && <div className="id-cell-name">{row[resource.name] || '-'}</div>}
            </div>
          )} />
      )
    }
    if (isState(column)) {
      return <Table.Column key={column} dataIndex="status" title={t('Status')} width={120} {...filter} cell={(status) => <State resource={resource} status={status} />} />
    }
    const field = fieldOf(resource, column)
    return <Table.Column key={column} dataIndex={field.id} title={field.label} sortable {...filter} cell={(value) => display(field, value)} />
  })
}
