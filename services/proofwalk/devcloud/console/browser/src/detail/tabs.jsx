// Tabs of a detail page: fields, a sub-table, or more tabs. `path` is the open tab and the open tabs inside it.
import { useState } from 'react'
import { Tab } from '@alicloud/console-components'
import { bindWhere, display, fieldOf } from '../core/schema.js'
import { t } from '../core/words.js'
import { ResourceTable } from '../list/resource-table.jsx'
import { State } from '../list/state.jsx'
import { Properties } from './properties.jsx'

export function Tabs({ tabs, path, onOpen, nested = false, ...owner }) {
  const [open = tabs[0]?.id, ...inner] = path
  return (
    <Tab shape={nested ? 'capsule' : 'pure'} size={nested ? 'small' : undefined} activeKey={open} onChange={(id) => onOpen([id])}>
      {tabs.map((tab) => (
        <Tab.Item key={tab.id} title={tab.title}>
          <div className="tab-body">
            {tab.id === open && <TabBody tab={tab} path={inner} onOpen={(rest) => onOpen([tab.id, ...rest])} {...owner} />}
          </div>
        </Tab.Item>
      ))}
    </Tab>
  )
}

function TabBody({ tab, path, onOpen, product, resource, row }) {
  return (
    <>
      {tab.help && <p className="muted">{tab.help}</p>}
      {tab.fields?.length > 0 && <Properties items={tab.fields.map((id) => property(resource, row, id))} />}
      {tab.table && <SubTable product={product} table={tab.table} row={row} />}
      {tab.tabs && <Tabs nested tabs={tab.tabs} path={path} onOpen={onOpen} product={product} resource={resource} row={row} />}
      {!tab.help && !tab.table && !tab.tabs && !tab.fields?.length && <p className="muted empty-tab">{t('No data available.')}</p>}
    </>
  )
}

function property(resource, row, id) {
  const field = fieldOf(resource, id)
  const value = field.id === 'status' ? <State resource={resource} status={row.status} /> : display(field, row[field.id])
  return { id, label: field.label, value }
}

function SubTable({ product, table, row }) {
  const [creating, setCreating] = useState(false)
  const resource = product.resources[table.resource]
  return (
    <ResourceTable product={product} resource={resource} resourceId={table.resource} where={bindWhere(table.where, row)}
      creating={creating} onCreate={() => setCreating(true)} onCloseCreate={() => setCreating(false)} />
  )
}
