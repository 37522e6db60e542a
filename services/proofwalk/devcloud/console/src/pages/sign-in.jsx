import { useState } from 'react'
import { Button, Form, Input } from '@alicloud/console-components'
import { api } from '../core/api.js'
import { ErrorMessage } from '../core/notices.jsx'
import { Logo } from '../shell/logo.jsx'

const FIELDS = [
  { id: 'account', label: 'Account ID' },
  { id: 'user', label: 'Username' },
  { id: 'password', label: 'Password', type: 'password' },
]

export function SignIn({ onSignedIn }) {
  const [values, setValues] = useState({ account: '', user: '', password: '' })
  const [error, setError] = useState(null)
  const [busy, setBusy] = useState(false)

  const submit = async (event) => {
    event.preventDefault()
    setBusy(true)
    setError(null)
    try {
      await api.signIn(values.account.trim(), values.user.trim(), values.password)
      await onSignedIn()
    } catch (problem) {
      setError(problem)
      setBusy(false)
    }
  }

  return (
    <div className="sign-in">
      <div className="sign-in-brand"><Logo /> Cloud Console</div>
      <div className="sign-in-card">
        <h1>RAM User Sign In</h1>
        <ErrorMessage error={error} />
        <Form labelAlign="top" size="large" onSubmit={submit}>
          {FIELDS.map(({ id, label, type }) => (
            <Form.Item key={id} label={label}>
              <Input id={id} name={id} htmlType={type ?? 'text'} aria-label={label} value={values[id]} placeholder={label}
                onChange={(text) => setValues((before) => ({ ...before, [id]: text }))} />
            </Form.Item>
          ))}
          <Button htmlType="submit" type="primary" size="large" loading={busy} className="sign-in-button"
            disabled={!values.account || !values.user || !values.password}>
            Sign In
          </Button>
        </Form>
      </div>
    </div>
  )
}
