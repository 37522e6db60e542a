// The row over a table: create, batch actions, search, refresh.
import { Balloon, Button, Icon, Search } from '@alicloud/console-components'
import { fieldOf, refusal } from '../core/schema.js'

const NOTHING_SELECTED = 'Select at least one item.'

function BatchButton({ action, selection, run }) {
  const reason = selection.length ? selection.map((row) => refusal(action, row)).find(Boolean) : NOTHING_SELECTED
  const button = <Button disabled={Boolean(reason)} onClick={() => run(action, selection)}>{action.label}</Button>
  if (!reason) return button
  return <Balloon.Tooltip trigger={<span className="refused">{button}</span>} align="t" delay={100}>{reason}</Balloon.Tooltip>
}

const searchHint = (resource) =>
  `Search by ${resource.list.search.map((id) => (id === 'id' ? `${resource.label} ID` : fieldOf(resource, id).label)).join(' or ')}`

export function Toolbar({ resource, batch, selection, loading, onCreate, onSearch, onRefresh, run }) {
  return (
    <div className="toolbar">
      {onCreate && <Button type="primary" onClick={onCreate}>{resource.create.label}</Button>}
      {batch.map((action) => <BatchButton key={action.id} action={action} selection={selection} run={run} />)}
      {resource.list?.search?.length > 0 && (
        <Search shape="simple" className="toolbar-search" placeholder={searchHint(resource)} onChange={onSearch} onSearch={onSearch} hasClear />
      )}
      <span className="toolbar-space" />
      <Button className="toolbar-refresh" disabled={loading} onClick={onRefresh}><Icon type="refresh" /></Button>
    </div>
  )
}
