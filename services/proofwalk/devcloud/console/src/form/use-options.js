// The choices of a field: fixed, or loaded from the server with the values of the fields it depends on.
import { createContext, useContext, useEffect, useState } from 'react'
import { api } from '../core/api.js'
import { useConsole } from '../core/console.jsx'
import { failed } from '../core/notices.jsx'
import { fixedOptions } from '../core/schema.js'

/** Where a form keeps the labels of the choices it has seen, so that its review can show them: a Map, or nothing. */
export const SeenLabels = createContext(null)
export const labelKey = (field, value) => JSON.stringify([field.id, value])

/** {options, loading, ready}. An answer that arrives after a parent changed again is dropped. */
export function useOptions(field, values) {
  const { region } = useConsole()
  const seen = useContext(SeenLabels)
  const source = field.options?.source
  const parents = { region, ...Object.fromEntries((field.depends_on ?? []).map((id) => [id, values[id] ?? (id === 'region' ? region : undefined)])) }
  const ready = Object.values(parents).every((value) => value !== undefined && value !== null && value !== '')
  const key = JSON.stringify([source, parents])
  const [loaded, setLoaded] = useState({ key: null, options: [] })

  useEffect(() => {
    if (!source || !ready) return undefined
    let current = true
    api.options(source, parents).then(
      (options) => {
        if (!current) return
        for (const { value, label } of options) seen?.set(labelKey(field, value), label)
        setLoaded({ key, options })
      },
      (error) => {
        if (!current) return
        failed(error)
        setLoaded({ key, options: [] })
      },
    )
    return () => { current = false }
    // `key` stands for everything the request is made of
  }, [key, ready]) // eslint-disable-line react-hooks/exhaustive-deps

  if (!source) return { options: fixedOptions(field), loading: false, ready: true }
  const settled = loaded.key === key
  return { options: settled ? loaded.options : [], loading: ready && !settled, ready }
}

/** A choice that the loaded options no longer hold is taken back. */
export function useStaleChoice({ options, loading, ready }, value, onChange) {
  const chosen = [value ?? []].flat()
  const stale = ready && !loading && options.length > 0 && chosen.some((item) => !options.some((option) => option.value === item))
  useEffect(() => {
    if (stale) onChange(undefined)
  }, [stale]) // eslint-disable-line react-hooks/exhaustive-deps
}
