// The widgets whose value is more than one word: a list of strings, tags, the text of a file.
import { Button, Icon, Input, Upload } from '@alicloud/console-components'
import { tagEntries } from '../core/schema.js'
import { t } from '../core/words.js'

const replaced = (list, index, item) => list.map((old, position) => (position === index ? item : old))
const without = (list, index) => list.filter((_, position) => position !== index)

export function StringTable({ field, value, onChange, disabled }) {
  const items = value ?? []
  return (
    <div className="string-table">
      {items.map((item, index) => (
        <div key={index} className="string-table-row">
          <Input value={item} disabled={disabled} placeholder={field.placeholder} onChange={(text) => onChange(replaced(items, index, text))} />
          <Button text type="primary" disabled={disabled} onClick={() => onChange(without(items, index))}>{t('Delete')}</Button>
        </div>
      ))}
      <Button disabled={disabled} onClick={() => onChange([...items, ''])}><Icon type="add" /> {t('Add')}</Button>
    </div>
  )
}

export function Tags({ value, onChange, disabled }) {
  const tags = tagEntries(value)
  const change = (index, part) => onChange(replaced(tags, index, { ...tags[index], ...part }))
  return (
    <div className="string-table">
      {tags.map((tag, index) => (
        <div key={index} className="string-table-row">
          <Input value={tag.key} disabled={disabled} placeholder={t('Tag Key')} onChange={(key) => change(index, { key })} />
          <Input value={tag.value} disabled={disabled} placeholder={t('Tag Value')} onChange={(text) => change(index, { value: text })} />
          <Button text type="primary" disabled={disabled} onClick={() => onChange(without(tags, index))}>{t('Delete')}</Button>
        </div>
      ))}
      <Button disabled={disabled} onClick={() => onChange([...tags, { key: '', value: '' }])}><Icon type="add" /> {t('Add Tag')}</Button>
    </div>
  )
}

/** The file is read in the browser; its text is the field's value and goes with the form. */
export function TextUpload({ value, onChange, disabled }) {
  const read = ({ file, onSuccess, onError }) => {
    file.text().then(
      (text) => {
        onChange(text)
        onSuccess({ success: true, url: '' })
      },
      (problem) => onError(problem),
    )
    return { abort() {} }
  }
  return (
    <Upload request={read} limit={1} listType="text" disabled={disabled} onRemove={() => onChange(undefined)}
      defaultValue={value ? [{ uid: 'given', name: t('Current file'), state: 'done' }] : []}>
      <Button disabled={disabled}>{t('Upload File')}</Button>
    </Upload>
  )
}
