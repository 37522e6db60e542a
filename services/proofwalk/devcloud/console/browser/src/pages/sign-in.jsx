import { useEffect, useState } from 'react'
import { Button, Form, Input, Loading, Message } from '@alicloud/console-components'
import { api } from '../core/api.js'
import { ErrorMessage } from '../core/notices.jsx'
import { t } from '../core/words.js'
import { Logo } from '../shell/logo.jsx'

const fields = () => [
  { id: 'account', label: t('Account ID') },
  { id: 'user', label: t('Username') },
  { id: 'password', label: t('Password'), type: 'password' },
]

/** In the language of the scenario that the address named; one that does not exist cannot be signed in to. */
export function SignIn({ speak, onSignedIn }) {
  const [page, setPage] = useState(null) // {lapsed}, or {unusable: true}
  const [values, setValues] = useState({ account: '', user: '', password: '' })
  const [error, setError] = useState(null)
  const [busy, setBusy] = useState(false)

  useEffect(() => {
    let current = true
    api.signInPage().then(
      ({ language, words, lapsed }) => {
        if (!current) return
        speak(language, words)
        setPage({ lapsed })
      },
      (problem) => {
        if (!current) return
        setError(problem)
        setPage({ unusable: problem.code === 'Scenario.NotFound' })
      },
    )
    return () => { current = false }
  }, [speak])

  const take = async (call) => {
    setBusy(true)
    setError(null)
    try {
      await call()
      await onSignedIn()
    } catch (problem) {
      setError(problem)
      setBusy(false)
    }
  }
  const submit = (event) => {
    event.preventDefault()
    take(() => api.signIn(values.account.trim(), values.user.trim(), values.password))
  }

  if (!page) return <Loading className="whole-page" tip={t('Loading...')} />
  return (
    <div className="sign-in">
      <div className="sign-in-brand"><Logo /> {t('Cloud Console')}</div>
      <div className="sign-in-card">
        <h1>{t('RAM User Sign In')}</h1>
        {page.lapsed && (
          <div className="sign-in-again">
            <Message type="notice" title={t('Your session has expired.')}>{t('Sign in again to continue where you were.')}</Message>
            <Button type="primary" size="large" loading={busy} className="sign-in-button" onClick={() => take(api.renew)}>
              {t('Continue as {user}', { user: page.lapsed.user_name })}
            </Button>
          </div>
        )}
        <ErrorMessage error={error} />
        <Form labelAlign="top" size="large" onSubmit={submit}>
          {fields().map(({ id, label, type }) => (
            <Form.Item key={id} label={label}>
              <Input id={id} name={id} htmlType={type ?? 'text'} aria-label={label} value={values[id]} placeholder={label} disabled={page.unusable}
                onChange={(text) => setValues((before) => ({ ...before, [id]: text }))} />
            </Form.Item>
          ))}
          <Button htmlType="submit" type={page.lapsed ? 'normal' : 'primary'} size="large" loading={busy} className="sign-in-button"
            disabled={!values.account || !values.user || !values.password}>
            {t('Sign In')}
          </Button>
        </Form>
      </div>
    </div>
  )
}
