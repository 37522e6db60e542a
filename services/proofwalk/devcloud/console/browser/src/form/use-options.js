// The choices of a field: fixed, or loaded from the server with the values of the fields it depends on.
import { createContext, useContext, useEffect, useRef, useState } from 'react'
import { api } from '../core/api.js'
import { useConsole } from '../core/console.jsx'
import { failed } from '../core/notices.jsx'
import { fixedOptions, leafOptions } from '../core/schema.js'
import { useVisit } from '../trouble/visit.jsx'

/** Where a form keeps the labels of the choices it has seen, so that its review can show them: a Map, or nothing. */
export const SeenLabels = createContext(null)
const labelKey = (field, value) => JSON.stringify([field.id, value])

/** The label of a chosen value as its option said it, or undefined; of several values, all labels. */
export function seenLabel(seen, field, value) {
  if (!Array.isArray(value)) return seen.get(labelKey(field, value))
  const labels = value.map((item) => seen.get(labelKey(field, item)))
  return labels.length && labels.every(Boolean) ? labels.join(', ') : undefined
}

/**
 * {options, loading, ready, racing}. An answer that arrives after a parent changed again is dropped.
 * On a visit with `race_s`, the choices of the former parent are shown once more for that long after the new ones came.
 */
export function useOptions(field, values) {
  const { region } = useConsole()
  const { race_s: race } = useVisit()
  const seen = useContext(SeenLabels)
  const source = field.options?.source
  const parents = { region, ...Object.fromEntries((field.depends_on ?? []).map((id) => [id, values[id] ?? (id === 'region' ? region : undefined)])) }
  const ready = Object.values(parents).every((value) => value !== undefined && value !== null && value !== '')
  const key = JSON.stringify([source, parents])
  const [loaded, setLoaded] = useState({ key: null, options: [] })
  const [former, setFormer] = useState(null) // {key, options}: old choices over the new ones of `key`
  const latest = useRef([])

  useEffect(() => {
    if (!source || !ready) return undefined
    let current = true
    let timer
    const old = latest.current
    api.options(source, parents).then(
      (options) => {
        if (!current) return
        for (const { value, label } of leafOptions(options)) seen?.set(labelKey(field, value), label)
        if (race && old.length) {
          setFormer({ key, options: old })
          timer = setTimeout(() => setFormer(null), race * 1000)
        }
        latest.current = options
        setLoaded({ key, options })
      },
      (error) => {
        if (!current) return
        failed(error)
        setLoaded({ key, options: [] })
      },
    )
    return () => {
      current = false
      clearTimeout(timer)
    }
    // `key` stands for everything the request is made of
  }, [key, ready]) // eslint-disable-line react-hooks/exhaustive-deps

  if (!source) return { options: fixedOptions(field), loading: false, ready: true, racing: false }
  const settled = loaded.key === key
  const racing = settled && former?.key === key
  return { options: racing ? former.options : settled ? loaded.options : [], loading: ready && !settled, ready, racing }
}

/** A choice that the loaded options no longer hold is taken back. */
export function useStaleChoice({ options, loading, ready, racing }, value, onChange) {
  const chosen = [value ?? []].flat()
  const offered = leafOptions(options)
  const kept = chosen.filter((item) => offered.some((option) => option.value === item))
  const stale = ready && !loading && !racing && options.length > 0 && kept.length < chosen.length
  useEffect(() => {
    if (stale) onChange(Array.isArray(value) && kept.length ? kept : undefined)
  }, [stale]) // eslint-disable-line react-hooks/exhaustive-deps
}
