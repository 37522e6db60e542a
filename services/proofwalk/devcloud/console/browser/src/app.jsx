// Who is signed in decides what is shown: the sign-in page, or the shell with the page that the address names.
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { ConfigProvider, Loading } from '@alicloud/console-components'
import chinese from '@alicloud/console-components/esm/locale/zh-cn'
import english from '@alicloud/console-components/esm/locale/en-us'
import { api, onSignedOut } from './core/api.js'
import { ConsoleProvider, readRegion, writeRegion } from './core/console.jsx'
import { ErrorMessage } from './core/notices.jsx'
import { navigate, useRoute } from './core/router.js'
import { isOther } from './core/scenario.js'
import { setWords, t } from './core/words.js'
import { Home } from './pages/home.jsx'
import { NotFound } from './pages/not-found.jsx'
import { ProductPage } from './pages/product.jsx'
import { SignIn } from './pages/sign-in.jsx'
import { TopBar } from './shell/top-bar.jsx'
import { Captcha } from './trouble/captcha.jsx'
import { CookieBanner, RegionDialog } from './trouble/first-page.jsx'
import { Visit } from './trouble/visit.jsx'

const SIGN_IN = '/signin'
const HOME = '/'
const LOCALES = { en: english, zh: chinese }

export function App() {
  const route = useRoute()
  const [language, setLanguage] = useState('en')
  const [session, setSession] = useState(undefined) // undefined: not known yet, null: nobody
  const [schema, setSchema] = useState(null)
  const [region, setRegionState] = useState(null)
  const [error, setError] = useState(null)
  const left = useRef(HOME) // where the session ended under the user, and where a sign-in leads back to

  const speak = useCallback((spoken, words) => {
    setWords(spoken, words)
    setLanguage(spoken)
  }, [])

  const enter = useCallback(async () => {
    const who = await api.session()
    if (isOther(who)) {
      setSession(null)
      return
    }
    const served = await api.schema()
    speak(served.language ?? 'en', served.words)
    setRegionState(readRegion(who))
    setSchema(served)
    setSession(who)
  }, [speak])

  const start = useCallback(() => {
    setError(null)
    enter().catch((problem) => (problem.status === 401 ? setSession(null) : setError(problem)))
  }, [enter])

  useEffect(() => {
    onSignedOut(() => setSession((before) => {
      if (before) left.current = window.location.pathname + window.location.search
      return null
    }))
    start()
  }, [start])

  useEffect(() => {
    if (session === null && route.pathname !== SIGN_IN) navigate(SIGN_IN, { replace: true })
    if (session && route.pathname === SIGN_IN) {
      navigate(left.current, { replace: true })
      left.current = HOME
    }
  }, [session, route.pathname])

  const shared = useMemo(() => ({
    products: schema?.products ?? [],
    regions: schema?.regions ?? [],
    trouble: schema?.trouble ?? {},
    session,
    region,
    setRegion: (chosen) => {
      writeRegion(session, chosen)
      setRegionState(chosen)
    },
    signOut: () => api.signOut().finally(() => setSession(null)),
  }), [schema, session, region])

  return <ConfigProvider locale={LOCALES[language] ?? english}>{shown()}</ConfigProvider>

  function shown() {
    if (error) return <div className="page-content"><ErrorMessage error={error} onRetry={start} /></div>
    if (session === undefined) return <Loading className="whole-page" tip={t('Loading...')} />
    if (session === null) return <SignIn speak={speak} onSignedIn={enter} />

    const product = shared.products.find((candidate) => candidate.id === route.product)
    return (
      <ConsoleProvider value={shared}>
        <TopBar global={Boolean(product?.global)} />
        {!route.product && <Visit key={route.pathname} kind="home"><Home /></Visit>}
        {route.product && (product ? <ProductPage key={product.id} product={product} route={route} /> : <NotFound />)}
        <CookieBanner />
        <RegionDialog />
        <Captcha />
      </ConsoleProvider>
    )
  }
}
