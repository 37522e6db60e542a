// State of a form: values, problems, the server's refusal. A problem disappears as soon as its field is right.
import { useState } from 'react'
import { fieldOf, shownFields } from '../core/schema.js'
import { problemWith, problems } from '../core/validation.js'

export function useForm(resource, initial) {
  const [values, setValues] = useState(initial)
  const [shown, setShown] = useState({})
  const [refused, setRefused] = useState(null)
  const [busy, setBusy] = useState(false)

  const errors = {}
  for (const [id, { message, at }] of Object.entries(shown)) {
    const now = problemWith(fieldOf(resource, id), values[id])
    if (now) errors[id] = now
    else if (at !== undefined && Object.is(at, values[id])) errors[id] = message
  }

  const check = (ids) => {
    const found = problems(resource, ids, values)
    setShown(Object.fromEntries(Object.entries(found).map(([id, message]) => [id, { message }])))
    return Object.keys(found).length === 0
  }

  /** Sends the values of the fields that take part, plus what the place gives; a refusal stays in the form. */
  const send = async (ids, fixed, call) => {
    setBusy(true)
    setRefused(null)
    const taking = shownFields(resource, ids, values).filter((field) => values[field.id] !== undefined)
    try {
      await call({ ...fixed, ...Object.fromEntries(taking.map((field) => [field.id, values[field.id]])) })
      return true
    } catch (error) {
      setRefused(error)
      if (error.field) setShown({ [error.field]: { message: error.message, at: values[error.field] } })
      return false
    } finally {
      setBusy(false)
    }
  }

  return { values, setValues, errors, refused, busy, check, send }
}
