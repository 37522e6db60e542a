// The slider that must be dragged to its end before a request is taken. The server checks the drag and gives a proof for one request.
import { useEffect, useRef, useState } from 'react'
import { api, ApiError, onCaptcha } from '../core/api.js'
import { t } from '../core/words.js'
import { BlockingDialog } from './overlay.jsx'

const SLACK = 6
const SHOWN_MS = 300

export function Captcha() {
  const [pending, setPending] = useState(null) // {challenge, resolve, reject}
  useEffect(() => {
    onCaptcha((challenge) => new Promise((resolve, reject) => setPending({ challenge, resolve, reject })))
  }, [])
  if (!pending) return null
  const close = () => {
    pending.reject(new ApiError({ code: 'Captcha.Required', message: t('The verification was not completed.') }, 403))
    setPending(null)
  }
  const solved = (solution) => {
    pending.resolve(solution)
    setPending(null)
  }
  return (
    <BlockingDialog title={t('Verification')} className="over-captcha" closeLabel={t('Close')} onClose={close}>
      <p>{t('Drag the slider to the end to continue.')}</p>
      <Slider key={pending.challenge.id} challenge={pending.challenge} onSolved={solved} />
    </BlockingDialog>
  )
}

function Slider({ challenge, onSolved }) {
  const [x, setX] = useState(0)
  const [word, setWord] = useState('')
  const track = useRef([])
  const start = useRef(null)

  const grab = (event) => {
    event.preventDefault()
    start.current = event.clientX
    track.current = [0]
    setWord('')
    event.currentTarget.setPointerCapture(event.pointerId)
  }
  const move = (event) => {
    if (start.current === null) return
    const reached = Math.max(0, Math.min(challenge.length, event.clientX - start.current))
    track.current.push(reached)
    setX(reached)
  }
  const release = async (event) => {
    if (start.current === null) return
    move(event)
    start.current = null
    try {
      if (track.current.at(-1) < challenge.length - SLACK) throw new Error('not at the end')
      const { solution } = await api.captcha(challenge.id, track.current)
      setWord(t('Verified'))
      setTimeout(() => onSolved(solution), SHOWN_MS)
    } catch {
      setX(0)
      setWord(t('Verification failed. Try again.'))
    }
  }

  return (
    <>
      <div className="over-track" style={{ width: challenge.length + 40 }}>
        <span className="over-track-text">{t('Slide to verify')}</span>
        <div className="over-handle" role="slider" tabIndex={0} aria-label={t('Slide to verify')} aria-valuemin={0} aria-valuemax={challenge.length}
          aria-valuenow={Math.round(x)} style={{ transform: `translateX(${x}px)` }}
          onPointerDown={grab} onPointerMove={move} onPointerUp={release} onPointerCancel={() => { start.current = null; setX(0) }}>»</div>
      </div>
      <p role="status" className="over-word">{word}</p>
    </>
  )
}
