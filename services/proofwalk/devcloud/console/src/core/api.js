// The console's JSON API: one function per call, one error type. A request that hangs ends after TIMEOUT_MS.
// A 401 outside sign-in means that the session is over; `onSignedOut` tells the app, which shows the sign-in page.

const BASE = '/console/api'
const TIMEOUT_MS = 30_000

/** What the server said, or that it said nothing: `code` is stable, `message` is for people, `field` names a form field. */
export class ApiError extends Error {
  constructor({ code, message, field, request_id: requestId }, status) {
    super(message)
    this.code = code
    this.field = field
    this.requestId = requestId
    this.status = status
  }
}

let signedOut = () => {}
export const onSignedOut = (listener) => { signedOut = listener }

async function request(method, path, { query = {}, body, poll = false } = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null)
  const search = new URLSearchParams(given).toString()
  const headers = { Accept: 'application/json' }
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  if (poll) headers['X-Console-Poll'] = '1'
  let response
  let data
  try {
    response = await fetch(`${BASE}${path}${search && `?${search}`}`, {
      method, headers, credentials: 'same-origin', signal: AbortSignal.timeout(TIMEOUT_MS),
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    data = await response.json().catch(() => null)
  } catch {
    throw new ApiError({ code: 'Network.Unavailable', message: 'The request did not reach the service. Try again later.' }, 0)
  }
  if (response.ok) return data ?? {}
  if (response.status === 401 && path !== '/sign-in') signedOut()
  const unknown = { code: `Http.${response.status}`, message: 'The service returned an unexpected error. Try again later.' }
  throw new ApiError({ ...unknown, ...data }, response.status)
}

const part = encodeURIComponent
const where = (filter) => Object.fromEntries(Object.entries(filter ?? {}).map(([field, value]) => [`where.${field}`, value]))

export const api = {
  signIn: (account, user, password) => request('POST', '/sign-in', { body: { account, user, password } }),
  signOut: () => request('POST', '/sign-out', { body: {} }),
  session: () => request('GET', '/session'),
  schema: () => request('GET', '/schema'),
  options: (source, query) => request('GET', `/options/${part(source)}`, { query }),
  rows: (product, resource, region, filter, poll) =>
    request('GET', `/r/${part(product)}/${part(resource)}`, { query: { region, ...where(filter) }, poll }),
  row: (product, resource, id, region, poll) =>
    request('GET', `/r/${part(product)}/${part(resource)}/${part(id)}`, { query: { region }, poll }),
  create: (product, resource, region, values) =>
    request('POST', `/r/${part(product)}/${part(resource)}`, { query: { region }, body: values }),
  act: (product, resource, id, action, region, values) =>
    request('POST', `/r/${part(product)}/${part(resource)}/${part(id)}/${part(action)}`, { query: { region }, body: values }),
}
