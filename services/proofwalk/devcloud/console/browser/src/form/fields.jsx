// The rows of a form: label on the left, widget on the right, help and problem below.
import { Form } from '@alicloud/console-components'
import { shownFields, withChange } from '../core/schema.js'
import { Widget } from './widgets.jsx'

/** `locked`: ids whose value is given by the place the form was opened from. */
export function Fields({ resource, ids, values, setValues, errors, locked = [] }) {
  const change = (id, value) => setValues((before) => withChange(resource, before, id, value))
  return (
    <Form labelAlign="left" labelCol={{ span: 6 }} wrapperCol={{ span: 18 }} className="fields">
      {shownFields(resource, ids, values).map((field) => (
        <Form.Item key={field.id} label={field.label} required={field.required}
          help={errors[field.id]} validateState={errors[field.id] ? 'error' : undefined}
          extra={field.help && <div className="field-help">{field.help}</div>}>
          <Widget field={field} values={values} value={values[field.id]} disabled={locked.includes(field.id)}
            onChange={(value) => change(field.id, value)} />
        </Form.Item>
      ))}
    </Form>
  )
}
