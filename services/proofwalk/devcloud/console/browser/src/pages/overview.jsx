// The first page of a product: how many resources of each kind there are in the region, by state.
import { useEffect, useState } from 'react'
import { Card, Loading } from '@alicloud/console-components'
import { api } from '../core/api.js'
import { useConsole } from '../core/console.jsx'
import { ErrorMessage } from '../core/notices.jsx'
import { menuLeaves, stateOf } from '../core/schema.js'
import { navigate, pathTo } from '../core/router.js'
import { t } from '../core/words.js'
import { Page } from '../shell/page.jsx'

function Count({ product, entry }) {
  const { region } = useConsole()
  const resource = product.resources[entry.resource]
  const [rows, setRows] = useState(null)
  const [error, setError] = useState(null)
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    let current = true
    setRows(null)
    setError(null)
    api.rows(product.id, entry.resource, region).then((answer) => current && setRows(answer.rows), (problem) => current && setError(problem))
    return () => { current = false }
  }, [product.id, entry.resource, region, attempt])

  const states = new Map()
  for (const row of rows ?? []) states.set(row.status, (states.get(row.status) ?? 0) + 1)
  return (
    <Card free className="card">
      <Card.Header title={resource.plural} />
      <Card.Content>
        <ErrorMessage error={error} onRetry={() => setAttempt(attempt + 1)} />
        {!rows && !error && <Loading />}
        {rows && <a className="count" onClick={() => navigate(pathTo(product.id, entry.id))}>{rows.length}</a>}
        {[...states].map(([status, count]) => (
          <span key={status} className="muted count-state">{stateOf(resource, status).label} {count}</span>
        ))}
      </Card.Content>
    </Card>
  )
}

export function Overview({ product }) {
  return (
    <Page title={t('Overview')} trail={[{ label: product.title }, { label: t('Overview') }]}>
      <div className="cards">
        {menuLeaves(product).filter((entry) => product.resources[entry.resource]).map((entry) => (
          <Count key={entry.id} product={product} entry={entry} />
        ))}
      </div>
    </Page>
  )
}
