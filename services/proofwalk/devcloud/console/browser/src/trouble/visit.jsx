// One visit of a page, and what is planned for it. The server tells for each kind of page what happens at its first, second, …
// visit; which visit this is, is counted per tab and journey, so that a reload counts too.
import { createContext, useContext, useEffect, useState } from 'react'
import { useConsole } from '../core/console.jsx'
import { Assistant } from './assistant.jsx'

const CALM = {}
const VisitContext = createContext(CALM)

/** {assistant_s?, swap_s?, race_s?} of the page around. */
export const useVisit = () => useContext(VisitContext)

function nextVisit(trouble, kind) {
  const plans = trouble.pages?.[kind] ?? []
  if (!plans.length) return CALM
  const key = `visits:${trouble.journey}:${kind}`
  const before = Number(window.sessionStorage.getItem(key) ?? 0)
  window.sessionStorage.setItem(key, String(before + 1))
  return plans[before % plans.length]
}

/** Give it a `key` that is another one for another page. */
export function Visit({ kind, children }) {
  const { trouble } = useConsole()
  const [plan] = useState(() => nextVisit(trouble, kind))
  return (
    <VisitContext.Provider value={plan}>
      {children}
      {plan.assistant_s !== undefined && <Assistant after={plan.assistant_s} />}
    </VisitContext.Provider>
  )
}

/** A number that changes once when the visit says so: as a `key` it replaces the nodes under it by equal ones. */
export function useSwap(ready = true) {
  const { swap_s: after } = useVisit()
  const [generation, setGeneration] = useState(0)
  useEffect(() => {
    if (after === undefined || !ready) return undefined
    const timer = setTimeout(() => setGeneration(1), after * 1000)
    return () => clearTimeout(timer)
  }, [after, ready])
  return generation
}
