// The scenario that this tab was opened in: `?scenario=ID` at first load, kept for the tab's life, sent with the sign-in.

const KEY = 'scenario'

const asked = new URLSearchParams(window.location.search).get('scenario')
if (asked) window.sessionStorage.setItem(KEY, asked)

/** Id of the scenario, or null. */
export const scenario = () => window.sessionStorage.getItem(KEY)

/** A session of another scenario than the one that the address asked for is not this tab's. */
export const isOther = (session) => scenario() !== null && session.scenario !== scenario()
