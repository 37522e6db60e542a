// Creating a resource: steps, a review where a step asks for one, and the request at the end.
// `fixed` holds values given by the place (a sub-table's owner): they are sent, and their fields are locked.
import { useRef, useState } from 'react'
import { Button, Step } from '@alicloud/console-components'
import { api } from '../core/api.js'
import { useConsole, useOrder } from '../core/console.jsx'
import { ErrorMessage, submitted } from '../core/notices.jsx'
import { initialValues, stepFields } from '../core/schema.js'
import { t } from '../core/words.js'
import { useSwap } from '../trouble/visit.jsx'
import { Fields } from './fields.jsx'
import { Review } from './review.jsx'
import { useForm } from './use-form.js'
import { SeenLabels } from './use-options.js'

export function Wizard({ product, resourceId, resource, fixed = {}, onDone, onCancel }) {
  const { region } = useConsole()
  const { create } = resource
  const { steps } = create
  const [at, setAt] = useState(0)
  const labels = useRef(new Map())
  const form = useForm(resource, () => ({ ...initialValues(resource, region), ...fixed }))
  const step = steps[at]
  const last = at === steps.length - 1
  const swap = useSwap()
  const inOrder = useOrder()

  const next = () => form.check(step.fields) && setAt(at + 1)
  const submit = async () => {
    if (!form.check(step.fields)) return
    const target = form.values.region ?? region
    const accepted = await form.send(stepFields(create), fixed, (values) => api.create(product.id, resourceId, target, values))
    if (!accepted) return
    submitted(create.label)
    onDone()
  }

  return (
    <SeenLabels.Provider value={labels.current}>
      <div className="wizard">
        {steps.length > 1 && (
          <Step current={at} shape="circle" className="wizard-steps">
            {steps.map(({ id, title }) => <Step.Item key={id} title={title} />)}
          </Step>
        )}
        <div className="wizard-body">
          {step.help && <p className="muted">{step.help}</p>}
          {step.review && <Review resource={resource} steps={steps.filter((other) => other !== step)} values={form.values} onEdit={setAt} />}
          <Fields key={step.id} resource={resource} ids={step.fields} values={form.values} setValues={form.setValues}
            errors={form.errors} locked={Object.keys(fixed)} />
          <ErrorMessage error={form.refused} />
        </div>
        <div className="wizard-footer" key={`footer-${swap}`}>
          {inOrder([
            at > 0 && <Button key="previous" disabled={form.busy} onClick={() => setAt(at - 1)}>{t('Previous')}</Button>,
            last
              ? <Button key="submit" type="primary" loading={form.busy} onClick={submit}>{create.submit ?? t('OK')}</Button>
              : <Button key="next" type="primary" onClick={next}>{t('Next')}</Button>,
            <Button key="cancel" onClick={onCancel}>{t('Cancel')}</Button>,
          ])}
        </div>
      </div>
    </SeenLabels.Provider>
  )
}
