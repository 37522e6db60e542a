// What every part of the console reads: the product files, who is signed in, and the region.
import { createContext, useContext } from 'react'

const ConsoleContext = createContext(null)

export const ConsoleProvider = ConsoleContext.Provider

/** {products, regions, session, region, setRegion, signOut} */
export const useConsole = () => useContext(ConsoleContext)

/** The region is kept per account and shared by the browser's tabs, as consoles do. */
const key = (account) => `region:${account}`
export const readRegion = (session) => window.localStorage.getItem(key(session.account_id)) ?? session.region
export const writeRegion = (session, region) => window.localStorage.setItem(key(session.account_id), region)
