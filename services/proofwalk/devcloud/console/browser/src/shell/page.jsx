// Heading and body of a page inside a product.
import { Breadcrumb, Icon } from '@alicloud/console-components'
import { navigate } from '../core/router.js'

/** `trail`: [{label, path?}], the last one being this page. `back`: the path of the arrow beside the title. */
export function Page({ title, trail, back, extra, children }) {
  return (
    <div className="page">
      <Breadcrumb className="page-trail">
        {trail.map(({ label, path }) => (
          <Breadcrumb.Item key={label}>{path ? <a onClick={() => navigate(path)}>{label}</a> : label}</Breadcrumb.Item>
        ))}
      </Breadcrumb>
      <div className="page-heading">
        {back && <a className="page-back" onClick={() => navigate(back)}><Icon type="arrow-left" size="small" /></a>}
        <h1>{title}</h1>
        <span className="page-extra">{extra}</span>
      </div>
      <div className="page-content">{children}</div>
    </div>
  )
}
