// The bundle's own words. They are written in English; the server sends the table of the session's language with the schema, and
// before that with the sign-in page. Labels of products come translated and are not looked up here.

let table = {}
let english = true

export function setWords(language, words) {
  table = words ?? {}
  english = language === 'en'
  document.documentElement.lang = language
}

/** A label inside a sentence: English ones lose their capitals there. */
export const inSentence = (label) => (english ? label.toLowerCase() : label)

/** A text of the bundle in the session's language; `{name}` in it is replaced by the value of that name. */
export function t(text, values = {}) {
  return (table[text] ?? text).replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole))
}
