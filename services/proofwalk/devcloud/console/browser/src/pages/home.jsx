import { Card } from '@alicloud/console-components'
import { useConsole } from '../core/console.jsx'
import { menuLeaves } from '../core/schema.js'
import { navigate, pathTo } from '../core/router.js'
import { t } from '../core/words.js'

export function Home() {
  const { products } = useConsole()
  return (
    <main className="page-content home">
      <h1>{t('Home')}</h1>
      <p className="muted">{t('Products and services')}</p>
      <div className="cards">
        {products.map((product) => (
          <Card key={product.id} free className="card">
            <Card.Header title={<a onClick={() => navigate(pathTo(product.id))}>{product.title}</a>} subTitle={product.description} />
            <Card.Content>
              <div className="card-links">
                {menuLeaves(product).map((entry) => (
                  <a key={entry.id} onClick={() => navigate(pathTo(product.id, entry.id))}>{entry.label}</a>
                ))}
              </div>
            </Card.Content>
          </Card>
        ))}
      </div>
    </main>
  )
}
