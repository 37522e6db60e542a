// Builds the committed bundle: same sources and lock file in, same bytes out.
import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vite'
import react from '@vitejs/plugin-react'

/** The kit's stylesheet fetches its fonts from a content network; the console must work with no network at all. */
const withoutRemoteFonts = {
  name: 'without-remote-fonts',
  enforce: 'pre',
  transform(code, id) {
    if (!/\.css($|\?)/.test(id) || !code.includes('alicdn.com')) return null
    return { code: code.replace(/@font-face\s*\{[^}]*alicdn\.com[^}]*\}/g, ''), map: null }
  },
}

/** The icon font is drawn from a package that the bundler never sees, so its licence is added by hand. */
const withFontLicense = {
  name: 'with-font-license',
  enforce: 'post',
  writeBundle({ dir }) {
    const root = new URL('./node_modules/@ant-design/icons-svg/', import.meta.url)
    const { name, version, license } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
    appendFileSync(join(dir, 'LICENSES.txt'), `\n## ${name} - ${version} (${license})\n\nDrawings of the icon font (font/glyphs.txt).\n`)
  },
}

export default defineConfig({
  plugins: [withoutRemoteFonts, react(), withFontLicense],
  base: '/',
  css: { lightningcss: { errorRecovery: true } },
  build: {
    outDir: '../bundle',
    emptyOutDir: true,
    license: { fileName: 'LICENSES.txt' },
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 5000,
  },
  server: { proxy: { '/console/api': process.env.DEVCLOUD_URL ?? 'http://127.0.0.1:8080' } },
})
