import { navigate, pathTo } from '../core/router.js'
import { Page } from '../shell/page.jsx'
import { ResourceTable } from './resource-table.jsx'

/** A menu entry's list. Its create form is part of the address, so that "back" closes it. */
export function ListPage({ product, entry, resource, resourceId, creating }) {
  const here = pathTo(product.id, entry.id)
  return (
    <Page title={resource.plural} trail={[{ label: product.title, path: pathTo(product.id) }, { label: entry.label }]}>
      <ResourceTable product={product} resource={resource} resourceId={resourceId} creating={creating}
        onCreate={() => navigate(pathTo(product.id, entry.id, 'create'))} onCloseCreate={() => navigate(here)} />
    </Page>
  )
}
