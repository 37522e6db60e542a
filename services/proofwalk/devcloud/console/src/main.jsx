import { createRoot } from 'react-dom/client'
import { ConfigProvider } from '@alicloud/console-components'
import english from '@alicloud/console-components/esm/locale/en-us'
import '@alicloud/console-components/dist/xconsole.css'
import './assets/console.css'
import { App } from './app.jsx'

createRoot(document.getElementById('root')).render(
  <ConfigProvider locale={english}>
    <App />
  </ConfigProvider>,
)
