// What the form can say before the server does. The server checks everything again with the same product file.
import { shownFields } from './schema.js'
import { t } from './words.js'

const isEmpty = (field, value) =>
  value === undefined || value === null || value === '' ||
  (Array.isArray(value) && value.length === 0) || (field.widget === 'checkbox' && value === false)

/** A pattern is written for the server's dialect; one that the browser cannot read is left to the server. */
function mismatch(pattern, text) {
  try {
    return !new RegExp(pattern).test(text)
  } catch {
    return false
  }
}

export function problemWith(field, value) {
  const about = { field: field.label }
  if (isEmpty(field, value)) return field.required ? t('{field} is required.', about) : undefined
  if (field.pattern && mismatch(field.pattern, String(value))) return field.message ?? t('{field} has an invalid format.', about)
  if (field.item_pattern && [value].flat().some((item) => mismatch(field.item_pattern, String(item)))) {
    return field.message ?? t('An entry has an invalid format.')
  }
  if (typeof value === 'number') {
    if (field.min !== undefined && value < field.min) return field.message ?? t('{field} must be at least {bound}.', { ...about, bound: field.min })
    if (field.max !== undefined && value > field.max) return field.message ?? t('{field} must be at most {bound}.', { ...about, bound: field.max })
  }
  return undefined
}

/** Field id to message, for those of `ids` that take part and are wrong. */
export function problems(resource, ids, values) {
  const found = {}
  for (const field of shownFields(resource, ids, values)) {
    const problem = problemWith(field, values[field.id])
    if (problem) found[field.id] = problem
  }
  return found
}
