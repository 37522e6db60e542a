// Loads something once, again on request, and on a timer only while something in it is moving.
// Timer reads are marked as polls, so that they stay out of the audit log.
import { useCallback, useEffect, useRef, useState } from 'react'

const POLL_MS = 1500

/** `load(poll)` → promise of data; `moving(data)` → whether to look again soon. `key` names what is loaded. */
export function usePolled(key, load, moving) {
  const [state, setState] = useState({ key: null, data: null, error: null })
  const [busy, setBusy] = useState(false)
  const latest = useRef(null)
  const reads = useRef({ load, moving })
  reads.current = { load, moving }

  const read = useCallback(async (poll) => {
    const ticket = {}
    latest.current = ticket
    if (!poll) setBusy(true)
    let next
    try {
      next = { key, data: await reads.current.load(poll), error: null }
    } catch (error) {
      next = { key, data: null, error }
    }
    if (latest.current !== ticket) return
    setState(next)
    setBusy(false)
  }, [key])

  useEffect(() => {
    read(false)
    return () => { latest.current = null }
  }, [read])

  const current = state.key === key ? state : { data: null, error: null }
  const again = current.data !== null && moving(current.data)
  useEffect(() => {
    if (!again) return undefined
    const timer = setTimeout(() => read(true), POLL_MS)
    return () => clearTimeout(timer)
  }, [again, state, read])

  return { data: current.data, error: current.error, loading: busy || (!current.data && !current.error), reload: () => read(false) }
}
