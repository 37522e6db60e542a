// The row over a table: create, batch actions, search, refresh.
import { Balloon, Button, Icon, Search } from '@alicloud/console-components'
import { useOrder } from '../core/console.jsx'
import { fieldOf, refusal } from '../core/schema.js'
import { t } from '../core/words.js'

function BatchButton({ action, selection, run }) {
  const reason = selection.length ? selection.map((row) => refusal(action, row)).find(Boolean) : t('Select at least one item.')
  const button = <Button disabled={Boolean(reason)} onClick={() => run(action, selection)}>{action.label}</Button>
  if (!reason) return button
  return <Balloon.Tooltip trigger={<span className="refused">{button}</span>} align="t" delay={100}>{reason}</Balloon.Tooltip>
}

const searchHint = (resource) =>
  t('Search by {fields}', {
    fields: resource.list.search.map((id) => (id === 'id' ? t('{label} ID', resource) : fieldOf(resource, id).label)).join(t(' or ')),
  })

export function Toolbar({ resource, batch, selection, loading, words, onCreate, onSearch, onRefresh, run }) {
  const inOrder = useOrder()
  const buttons = [
    onCreate && <Button key="@create" type="primary" onClick={onCreate}>{resource.create.label}</Button>,
    ...batch.map((action) => <BatchButton key={action.id} action={action} selection={selection} run={run} />),
  ]
  return (
    <div className="toolbar">
      {inOrder(buttons)}
      {resource.list?.search?.length > 0 && (
        <Search shape="simple" className="toolbar-search" placeholder={searchHint(resource)} value={words} onChange={onSearch} onSearch={onSearch} hasClear />
      )}
      <span className="toolbar-space" />
      <Button className="toolbar-refresh" disabled={loading} onClick={onRefresh}><Icon type="refresh" /></Button>
    </div>
  )
}
