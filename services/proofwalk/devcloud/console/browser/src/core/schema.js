// Reading a product file: functions over its nodes. Nothing here knows a product.
import { t } from './words.js'

const BUILT_IN = {
  id: () => t('ID'),
  status: () => t('Status'),
  created: () => t('Created At'),
  region: () => t('Region'),
}

/** Every row has an id, a state, a time and a region; a file may write them with "@". */
export const columnKey = (id) => id.replace(/^@/, '')

export function fieldOf(resource, name) {
  const id = columnKey(name)
  return resource.fields.find((field) => field.id === id) ?? { id, label: BUILT_IN[id]?.() ?? id, widget: 'text' }
}

/** A field takes part if the fields it hangs on have the right values and take part themselves. */
const isShown = (resource, field, values) =>
  Object.entries(field.show_if ?? {}).every(([other, accepted]) =>
    accepted.includes(values[other]) && isShown(resource, fieldOf(resource, other), values))

/** The fields of a step or form that take part now: hidden ones are neither checked nor sent. */
export const shownFields = (resource, ids, values) =>
  (ids ?? []).map((id) => fieldOf(resource, id)).filter((field) => isShown(resource, field, values))

export const stepFields = (create) => create.steps.flatMap((step) => step.fields ?? [])

/** Fixed choices as {value, label}; a choice may be written as a bare string. */
export const fixedOptions = (field) =>
  Array.isArray(field.options)
    ? field.options.map((option) => (typeof option === 'object' ? option : { value: option, label: String(option) }))
    : []

/** The choices that can be taken: those without children, each with the labels on the way to it. */
export const leafOptions = (options, above = []) =>
  options.flatMap((option) => {
    const path = [...above, option.label]
    return option.children?.length ? leafOptions(option.children, path) : [{ ...option, label: path.join(' / ') }]
  })

export function initialValues(resource, region) {
  const values = {}
  for (const field of resource.fields) {
    if (field.default !== undefined && field.default !== null) values[field.id] = field.default
    else if (field.id === 'region' && field.widget === 'select') values.region = region
  }
  for (const field of resource.fields) {
    if (field.default_from && values[field.id] === undefined) values[field.id] = values[field.default_from]
  }
  return values
}

/** Every field whose choices hang on `id`, directly or through another field. */
function dependentsOf(resource, id, found = new Set()) {
  for (const field of resource.fields) {
    if ((field.depends_on ?? []).includes(id) && !found.has(field.id)) {
      found.add(field.id)
      dependentsOf(resource, field.id, found)
    }
  }
  return found
}

/** One change to a form: what depends on the field starts again from its default, what copied it follows. */
export function withChange(resource, values, id, value) {
  const next = { ...values, [id]: value }
  for (const dependent of dependentsOf(resource, id)) {
    const { default: initial } = fieldOf(resource, dependent)
    if (initial === undefined || initial === null) delete next[dependent]
    else next[dependent] = initial
  }
  for (const field of resource.fields) {
    if (field.default_from === id && (values[field.id] ?? '') === (values[id] ?? '')) next[field.id] = value
  }
  return next
}

const leaves = (entries) => entries.flatMap((entry) => (entry.items?.length ? leaves(entry.items) : [entry]))
export const menuLeaves = (product) => leaves(product.menu)

/** The menu entry whose list shows this resource; undefined for what only lives in a sub-table. */
export const menuOf = (product, resourceId) => menuLeaves(product).find((entry) => entry.resource === resourceId)

export const stateOf = (resource, status) => ({ tone: 'muted', label: status, ...resource.states?.[status] })
export const isMoving = (resource, row) => stateOf(resource, row.status).tone === 'progress'

/** Why an action cannot be taken on this row, or undefined when it can. */
export function refusal(action, row) {
  const allowed = Object.entries(action.when ?? {}).every(([field, accepted]) => [accepted].flat().includes(row[field] ?? null))
  return allowed ? undefined : action.else ?? t('This operation is not available in the current state.')
}

/** `where` of a sub-table with "@field" replaced by the owner's value. */
export const bindWhere = (where, owner) =>
  Object.fromEntries(Object.entries(where ?? {}).map(([field, value]) =>
    [field, typeof value === 'string' && value.startsWith('@') ? owner[value.slice(1)] : value]))

const SECRET = '******'
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z$/

/** A value as a person reads it in a table cell, a detail page or the review of a wizard. */
export function display(field, value) {
  if (field.widget === 'password') return value ? SECRET : '-'
  if (field.widget === 'switch') return value ? t('Enabled') : t('Disabled')
  if (typeof value === 'boolean') return value ? t('Yes') : t('No')
  if (value === undefined || value === null || value === '') return '-'
  const label = (item) => leafOptions(fixedOptions(field)).find((option) => option.value === item)?.label ?? String(item)
  if (field.widget === 'tags') return tagEntries(value).map(({ key, value: text }) => (text ? `${key}: ${text}` : key)).join(', ') || '-'
  if (field.widget === 'upload' && value?.name) return value.name
  if (Array.isArray(value)) return value.map((item) => (typeof item === 'object' ? JSON.stringify(item) : label(item))).join(', ') || '-'
  if (typeof value === 'object') return JSON.stringify(value)
  if (typeof value === 'string' && INSTANT.test(value)) return value.replace('T', ' ').replace(/(\.\d+)?Z$/, '')
  return field.unit ? `${label(value)} ${field.unit}` : label(value)
}

/** Tags come as a list of {key, value} or as an object; both read as a list. */
export function tagEntries(value) {
  if (Array.isArray(value)) return value
  return Object.entries(value ?? {}).map(([key, text]) => ({ key, value: text }))
}
