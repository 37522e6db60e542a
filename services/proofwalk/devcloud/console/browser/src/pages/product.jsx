// One product: its menu on the left and, on the right, the page that the address names.
import { useEffect } from 'react'
import AppLayout from '@alicloud/console-components-app-layout'
import ConsoleMenu from '@alicloud/console-components-console-menu'
import { menuLeaves } from '../core/schema.js'
import { navigate, pathTo } from '../core/router.js'
import { TOP_BAR_HEIGHT } from '../shell/top-bar.jsx'
import { CreatePage } from '../form/create-page.jsx'
import { DetailPage } from '../detail/detail-page.jsx'
import { ListPage } from '../list/list-page.jsx'
import { Visit } from '../trouble/visit.jsx'
import { NotFound } from './not-found.jsx'
import { Overview } from './overview.jsx'

const menuItem = ({ id, label, items }) => ({ key: id, label, ...(items?.length && { items: items.map(menuItem) }) })

export function ProductPage({ product, route }) {
  const entries = menuLeaves(product)
  const first = entries[0]?.id
  useEffect(() => {
    if (!route.menu && first) navigate(pathTo(product.id, first), { replace: true })
  }, [product.id, route.menu, first])
  if (!route.menu) return null

  const entry = entries.find((candidate) => candidate.id === route.menu)
  return (
    <AppLayout
      adjustHeight={TOP_BAR_HEIGHT}
      nav={
        <ConsoleMenu header={product.title} activeKey={route.menu} defaultOpenAll items={product.menu.map(menuItem)}
          onItemClick={(id) => navigate(pathTo(product.id, id))} />
      }
    >
      {entry ? <EntryPage product={product} entry={entry} route={route} /> : <NotFound />}
    </AppLayout>
  )
}

function EntryPage({ product, entry, route }) {
  if (entry.page === 'overview') return <Visit key={entry.id} kind="overview"><Overview product={product} /></Visit>
  const resource = product.resources[entry.resource]
  if (!resource) return <NotFound />
  const here = { product, entry, resource, resourceId: entry.resource }
  const asPage = resource.create?.container === 'page'
  if (route.id === 'create' && asPage) return <Visit key={`${entry.id}/create`} kind="create"><CreatePage {...here} /></Visit>
  if (route.id && route.id !== 'create') {
    return <Visit key={`${entry.id}/${route.id}`} kind="detail"><DetailPage {...here} id={route.id} tab={route.tab} /></Visit>
  }
  return <Visit key={entry.id} kind="list"><ListPage {...here} creating={route.id === 'create' && Boolean(resource.create)} /></Visit>
}
