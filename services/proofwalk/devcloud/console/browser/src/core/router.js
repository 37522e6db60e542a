// The address bar is the state of navigation: /{product}/{menu}/{id or "create"}?tab=. Back and forward work.
import { useMemo, useSyncExternalStore } from 'react'

const listeners = new Set()
const changed = () => listeners.forEach((listener) => listener())

function subscribe(listener) {
  listeners.add(listener)
  window.addEventListener('popstate', listener)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('popstate', listener)
  }
}

const address = () => window.location.pathname + window.location.search

export function navigate(path, { replace = false } = {}) {
  if (path === address()) return
  window.history[replace ? 'replaceState' : 'pushState'](null, '', path)
  changed()
}

export function useRoute() {
  const current = useSyncExternalStore(subscribe, address)
  return useMemo(() => {
    const { pathname, searchParams } = new URL(current, window.location.origin)
    const [product, menu, id] = pathname.split('/').filter(Boolean).map(decodeURIComponent)
    return { pathname, product, menu, id, tab: searchParams.get('tab') ?? undefined }
  }, [current])
}

/** The path of a product, a menu entry, or one resource: each part is optional from the right. */
export const pathTo = (...parts) => `/${parts.filter(Boolean).map(encodeURIComponent).join('/')}`
