// What a console asks once in a session: about cookies, and for a region.
import { useState } from 'react'
import { Button, Radio } from '@alicloud/console-components'
import { useConsole } from '../core/console.jsx'
import { t } from '../core/words.js'
import { BlockingDialog, CloseButton } from './overlay.jsx'

/** [answered, answer]: kept per tab and journey. */
function useAnswered(name, trouble) {
  const key = `${name}:${trouble.journey}`
  const [answered, setAnswered] = useState(() => window.sessionStorage.getItem(key) !== null)
  return [answered, () => {
    window.sessionStorage.setItem(key, '1')
    setAnswered(true)
  }]
}

export function CookieBanner() {
  const { trouble } = useConsole()
  const [answered, answer] = useAnswered('cookies', trouble)
  if (!trouble.cookie_banner || answered) return null
  return (
    <div className="over-banner" role="region" aria-label="Cookies">
      <span className="over-banner-text">{t('This site uses cookies to improve your experience.')}</span>
      <Button type="primary" onClick={answer}>{t('Accept All')}</Button>
      <Button onClick={answer}>{t('Necessary Only')}</Button>
      <CloseButton label={t('Close')} onClick={answer} />
    </div>
  )
}

export function RegionDialog() {
  const { trouble, regions, region, setRegion } = useConsole()
  const [answered, answer] = useAnswered('region', trouble)
  const [chosen, setChosen] = useState(region)
  if (!trouble.region_dialog || answered) return null
  const confirm = () => {
    if (chosen !== region) setRegion(chosen)
    answer()
  }
  return (
    <BlockingDialog title={t('Select a region')} closeLabel={t('Close')} onClose={answer}>
      <p>{t('Your resources are kept in the region that you select.')}</p>
      <Radio.Group value={chosen} onChange={setChosen} direction="ver" dataSource={regions.map(({ id, label }) => ({ value: id, label }))} />
      <div className="over-footer"><Button type="primary" onClick={confirm}>{t('OK')}</Button></div>
    </BlockingDialog>
  )
}
