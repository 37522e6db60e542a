// The console's JSON API: one function per call, one error type. A request that hangs ends after TIMEOUT_MS.
// A 401 outside sign-in means that the session is over; `onSignedOut` tells the app, which shows the sign-in page.
// A write may be answered by a captcha: whoever has registered with `onCaptcha` gets it solved, and the write is sent again.

import { scenario } from './scenario.js'
import { t } from './words.js'

const BASE = '/console/api'
const TIMEOUT_MS = 30_000

/** What the server said, or that it said nothing: `code` is stable, `message` is for people, `field` names a form field. */
export class ApiError extends Error {
  constructor({ code, message, field, request_id: requestId, captcha }, status) {
    super(message)
    this.code = code
    this.field = field
    this.requestId = requestId
    this.captcha = captcha
    this.status = status
  }

  /** Whether trying again may help. */
  get passing() {
    return this.status === 0 || this.status >= 500
  }
}

let signedOut = () => {}
export const onSignedOut = (listener) => { signedOut = listener }

let solve = async (challenge, error) => { throw error }
/** `listener(challenge, error)` → promise of a solution; it rejects with an error when there will be none. */
export const onCaptcha = (listener) => { solve = listener }

async function send(method, path, { query = {}, body, poll = false, solution } = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null)
  const search = new URLSearchParams(given).toString()
  const headers = { Accept: 'application/json' }
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  if (poll) headers['X-Console-Poll'] = '1'
  if (solution) headers['X-Captcha-Solution'] = solution
  let response
  let data
  try {
    response = await fetch(`${BASE}${path}${search && `?${search}`}`, {
      method, headers, credentials: 'same-origin', signal: AbortSignal.timeout(TIMEOUT_MS),
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    data = await response.json().catch(() => null)
  } catch {
    throw new ApiError({ code: 'Network.Unavailable', message: t('The request did not reach the service. Try again later.') }, 0)
  }
  if (response.ok) return data ?? {}
  if (response.status === 401 && !path.startsWith('/sign-in')) signedOut()
  const unknown = { code: `Http.${response.status}`, message: t('The service returned an unexpected error. Try again later.') }
  throw new ApiError({ ...unknown, ...data }, response.status)
}

async function write(path, query, body) {
  try {
    return await send('POST', path, { query, body })
  } catch (error) {
    if (!error.captcha) throw error
    return send('POST', path, { query, body, solution: await solve(error.captcha, error) })
  }
}

const part = encodeURIComponent
const where = (filter) => Object.fromEntries(Object.entries(filter ?? {}).map(([field, value]) => [`where.${field}`, value]))

export const api = {
  signInPage: () => send('GET', '/sign-in', { query: { scenario: scenario() } }),
  signIn: (account, user, password) =>
    send('POST', '/sign-in', { body: { account, user, password, ...(scenario() && { scenario: scenario() }) } }),
  renew: () => send('POST', '/sign-in/renew', { body: {} }),
  signOut: () => send('POST', '/sign-out', { body: {} }),
  session: () => send('GET', '/session'),
  schema: () => send('GET', '/schema'),
  captcha: (id, track) => send('POST', `/captcha/${part(id)}`, { body: { track } }),
  options: (source, query) => send('GET', `/options/${part(source)}`, { query }),
  rows: (product, resource, region, filter, poll) =>
    send('GET', `/r/${part(product)}/${part(resource)}`, { query: { region, ...where(filter) }, poll }),
  row: (product, resource, id, region, poll) =>
    send('GET', `/r/${part(product)}/${part(resource)}/${part(id)}`, { query: { region }, poll }),
  create: (product, resource, region, values) => write(`/r/${part(product)}/${part(resource)}`, { region }, values),
  act: (product, resource, id, action, region, values) =>
    write(`/r/${part(product)}/${part(resource)}/${part(id)}/${part(action)}`, { region }, values),
}
