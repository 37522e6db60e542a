// The last look before a request: what the earlier steps hold, step by step.
import { useContext } from 'react'
import { display, shownFields } from '../core/schema.js'
import { t } from '../core/words.js'
import { Properties } from '../detail/properties.jsx'
import { SeenLabels, seenLabel } from './use-options.js'

export function Review({ resource, steps, values, onEdit }) {
  const seen = useContext(SeenLabels)
  return steps.map((step, index) => (
    <section key={step.id} className="review">
      <h3>{step.title} <a onClick={() => onEdit(index)}>{t('Edit')}</a></h3>
      <Properties items={shownFields(resource, step.fields, values).map((field) => ({
        id: field.id, label: field.label, value: seenLabel(seen, field, values[field.id]) ?? display(field, values[field.id]),
      }))} />
    </section>
  ))
}
