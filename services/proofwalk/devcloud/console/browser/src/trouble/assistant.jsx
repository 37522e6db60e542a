// The assistant's window: opens by itself over the lower right of the page and stays until it is closed.
import { useEffect, useState } from 'react'
import { Button, Input } from '@alicloud/console-components'
import { t } from '../core/words.js'
import { CloseButton } from './overlay.jsx'

export function Assistant({ after }) {
  const [open, setOpen] = useState(false)
  const [question, setQuestion] = useState('')
  const [asked, setAsked] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setOpen(true), after * 1000)
    return () => clearTimeout(timer)
  }, [after])
  if (!open) return null
  return (
    <div className="over-assistant" role="complementary" aria-label={t('Cloud Assistant')}>
      <div className="over-heading"><h2>{t('Cloud Assistant')}</h2><CloseButton label={t('Close')} onClick={() => setOpen(false)} /></div>
      <p>{t('Hi, I am the assistant. What can I do for you?')}</p>
      {asked && <p>{t('Thank you. A colleague will answer by email.')}</p>}
      <div className="over-assistant-question">
        <Input value={question} onChange={setQuestion} placeholder={t('Ask a question')} />
        <Button disabled={!question} onClick={() => { setAsked(true); setQuestion('') }}>{t('Send')}</Button>
      </div>
    </div>
  )
}
