import { createRoot } from 'react-dom/client'
import '@alicloud/console-components/dist/xconsole.css'
import './assets/console.css'
import './assets/trouble.css'
import { App } from './app.jsx'

createRoot(document.getElementById('root')).render(<App />)
