// One widget per `widget` word of a product file. Each takes {field, value, onChange, values, disabled}.
import { CascaderSelect, Checkbox, DatePicker2, Input, NumberPicker, Radio, Range, Select, Switch } from '@alicloud/console-components'
import { display } from '../core/schema.js'
import { inSentence, t } from '../core/words.js'
import { StringTable, Tags, TextUpload } from './list-widgets.jsx'
import { useOptions, useStaleChoice } from './use-options.js'

const WIDTH = { width: 360 }
const unit = (field) => field.unit && <span className="unit">{field.unit}</span>
const hint = (field) => field.placeholder ?? t('Select {field}', { field: inSentence(field.label) })

const Text = ({ field, value, onChange, disabled }) => (
  <>
    <Input style={WIDTH} value={value ?? ''} onChange={onChange} disabled={disabled} placeholder={field.placeholder} hasClear />
    {unit(field)}
  </>
)

const Password = ({ field, value, onChange, disabled }) => (
  <Input.Password style={WIDTH} value={value ?? ''} onChange={onChange} disabled={disabled} placeholder={field.placeholder}
    autoComplete="new-password" />
)

const TextArea = ({ field, value, onChange, disabled }) => (
  <Input.TextArea style={WIDTH} rows={4} value={value ?? ''} onChange={onChange} disabled={disabled} placeholder={field.placeholder}
    maxLength={field.max_length} showLimitHint={Boolean(field.max_length)} />
)

const Number = ({ field, value, onChange, disabled }) => (
  <>
    <NumberPicker value={value} onChange={onChange} disabled={disabled} min={field.min} max={field.max} step={field.step ?? 1} />
    {unit(field)}
  </>
)

function Choice({ field, value, onChange, values, disabled }) {
  const choices = useOptions(field, values)
  useStaleChoice(choices, value, onChange)
  return (
    <Select style={WIDTH} value={value ?? (field.multiple ? [] : null)} onChange={onChange} placeholder={hint(field)}
      showSearch={Boolean(field.search)} hasClear={!field.required} mode={field.multiple ? 'multiple' : 'single'}
      disabled={disabled || !choices.ready} state={choices.loading ? 'loading' : undefined}
      notFoundContent={choices.loading ? t('Loading...') : t('No options')}
      dataSource={choices.options.map((option) => (option.hint ? { ...option, label: `${option.label} (${option.hint})` } : option))} />
  )
}

/** Choices in levels; the value is that of the last level. */
function Cascader({ field, value, onChange, values, disabled }) {
  const choices = useOptions(field, values)
  useStaleChoice(choices, value, onChange)
  return (
    <CascaderSelect style={WIDTH} value={value ?? (field.multiple ? [] : null)} onChange={(chosen) => onChange(chosen ?? undefined)} placeholder={hint(field)}
      multiple={Boolean(field.multiple)} showSearch={Boolean(field.search)} hasClear={!field.required} canOnlySelectLeaf={!field.multiple} canOnlyCheckLeaf
      disabled={disabled || !choices.ready} state={choices.loading ? 'loading' : undefined} notFoundContent={t('No options')} dataSource={choices.options} />
  )
}

function OneOf({ field, value, onChange, values, disabled }) {
  const choices = useOptions(field, values)
  useStaleChoice(choices, value, onChange)
  if (choices.loading) return <span className="muted">{t('Loading...')}</span>
  return <Radio.Group shape="button" value={value} onChange={onChange} disabled={disabled} dataSource={choices.options} />
}

function Check({ field, value, onChange, values, disabled }) {
  const choices = useOptions(field, values)
  if (field.options) return <Checkbox.Group value={value ?? []} onChange={onChange} disabled={disabled} dataSource={choices.options} />
  return <Checkbox checked={Boolean(value)} onChange={onChange} disabled={disabled}>{field.text}</Checkbox>
}

const Toggle = ({ value, onChange, disabled }) => <Switch checked={Boolean(value)} onChange={onChange} disabled={disabled} />

function Slider({ field, value, onChange, disabled }) {
  const { min = 0, max = 100 } = field
  const given = field.marks ?? [min, max]
  const marks = Array.isArray(given) ? Object.fromEntries(given.map((mark) => [mark, String(mark)])) : given
  return (
    <div className="slider">
      <Range style={WIDTH} min={min} max={max} step={field.step ?? 1} marks={marks} value={value ?? min} onChange={onChange} disabled={disabled} />
      <span className="slider-value">{display(field, value ?? min)}</span>
    </div>
  )
}

const MOMENT = 'YYYY-MM-DD HH:mm:ss'
const Instant = ({ field, value, onChange, disabled }) => (
  <DatePicker2 style={WIDTH} showTime format={MOMENT} value={value} disabled={disabled} placeholder={hint(field)}
    onChange={(_moment, text) => onChange(text || undefined)} />
)

const ReadOnly = ({ field, value }) => <span className="read-only">{display(field, value ?? field.text)}</span>

const WIDGETS = {
  input: Text,
  password: Password,
  textarea: TextArea,
  number: Number,
  select: Choice,
  cascader: Cascader,
  radio: OneOf,
  checkbox: Check,
  switch: Toggle,
  slider: Slider,
  date: Instant,
  table: StringTable,
  tags: Tags,
  text: ReadOnly,
  upload: TextUpload,
}

export function Widget(props) {
  const Chosen = WIDGETS[props.field.widget] ?? Text
  return <Chosen {...props} />
}
