// Who is signed in decides what is shown: the sign-in page, or the shell with the page that the address names.
import { useCallback, useEffect, useMemo, useState } from 'react'
import { Loading } from '@alicloud/console-components'
import { api, onSignedOut } from './core/api.js'
import { ConsoleProvider, readRegion, writeRegion } from './core/console.jsx'
import { ErrorMessage } from './core/notices.jsx'
import { navigate, useRoute } from './core/router.js'
import { Home } from './pages/home.jsx'
import { NotFound } from './pages/not-found.jsx'
import { ProductPage } from './pages/product.jsx'
import { SignIn } from './pages/sign-in.jsx'
import { TopBar } from './shell/top-bar.jsx'

const SIGN_IN = '/signin'

export function App() {
  const route = useRoute()
  const [session, setSession] = useState(undefined) // undefined: not known yet, null: nobody
  const [schema, setSchema] = useState(null)
  const [region, setRegionState] = useState(null)
  const [error, setError] = useState(null)

  const enter = useCallback(async () => {
    const who = await api.session()
    const products = await api.schema()
    setRegionState(readRegion(who))
    setSchema(products)
    setSession(who)
  }, [])

  useEffect(() => {
    onSignedOut(() => setSession(null))
    enter().catch((problem) => (problem.status === 401 ? setSession(null) : setError(problem)))
  }, [enter])

  useEffect(() => {
    if (session === null && route.pathname !== SIGN_IN) navigate(SIGN_IN, { replace: true })
    if (session && route.pathname === SIGN_IN) navigate('/', { replace: true })
  }, [session, route.pathname])

  const shared = useMemo(() => ({
    products: schema?.products ?? [],
    regions: schema?.regions ?? [],
    session,
    region,
    setRegion: (chosen) => {
      writeRegion(session, chosen)
      setRegionState(chosen)
    },
    signOut: () => api.signOut().finally(() => setSession(null)),
  }), [schema, session, region])

  if (error) return <div className="page-content"><ErrorMessage error={error} /></div>
  if (session === undefined) return <Loading className="whole-page" tip="Loading..." />
  if (session === null) return <SignIn onSignedIn={enter} />

  const product = shared.products.find((candidate) => candidate.id === route.product)
  return (
    <ConsoleProvider value={shared}>
      <TopBar />
      {!route.product && <Home />}
      {route.product && (product ? <ProductPage key={product.id} product={product} route={route} /> : <NotFound />)}
    </ConsoleProvider>
  )
}
