// What every part of the console reads: the product files, who is signed in, the region, and the session's trouble.
import { createContext, useContext } from 'react'

const ConsoleContext = createContext(null)

export const ConsoleProvider = ConsoleContext.Provider

/** {products, regions, trouble, session, region, setRegion, signOut} */
export const useConsole = () => useContext(ConsoleContext)

/** Variant B of an A/B test shows the same buttons in the other order. */
export const useOrder = () => {
  const { trouble } = useConsole()
  return (buttons) => (trouble.variant === 'B' ? [...buttons].reverse() : buttons)
}

/** The region is kept per account and shared by the browser's tabs, as consoles do. */
const key = (account) => `region:${account}`
export const readRegion = (session) => window.localStorage.getItem(key(session.account_id)) ?? session.region
export const writeRegion = (session, region) => window.localStorage.setItem(key(session.account_id), region)
