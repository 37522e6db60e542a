import { Button } from '@alicloud/console-components'
import { navigate } from '../core/router.js'
import { t } from '../core/words.js'

export function NotFound({ what }) {
  return (
    <div className="not-found">
      <h2>{what ? t('{what} does not exist.', { what }) : t('This page does not exist.')}</h2>
      <p>{t('It may have been released, or the address is wrong.')}</p>
      <Button onClick={() => navigate('/')}>{t('Back to Home')}</Button>
    </div>
  )
}
