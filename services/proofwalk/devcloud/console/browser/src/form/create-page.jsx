import { navigate, pathTo } from '../core/router.js'
import { Page } from '../shell/page.jsx'
import { Wizard } from './wizard.jsx'

export function CreatePage({ product, entry, resource, resourceId }) {
  const list = pathTo(product.id, entry.id)
  const leave = () => navigate(list)
  const trail = [{ label: product.title, path: pathTo(product.id) }, { label: entry.label, path: list }, { label: resource.create.label }]
  return (
    <Page title={resource.create.label} trail={trail} back={list}>
      <div className="panel">
        <Wizard product={product} resource={resource} resourceId={resourceId} onDone={leave} onCancel={leave} />
      </div>
    </Page>
  )
}
