import { Button } from '@alicloud/console-components'
import { navigate } from '../core/router.js'

export function NotFound({ what = 'This page' }) {
  return (
    <div className="not-found">
      <h2>{what} does not exist.</h2>
      <p>It may have been released, or the address is wrong.</p>
      <Button onClick={() => navigate('/')}>Back to Home</Button>
    </div>
  )
}
