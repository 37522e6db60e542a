// The bar over every page. Its height (50 px) is what AppLayout subtracts.
import { Button, Dropdown, Icon, Menu } from '@alicloud/console-components'
import { useConsole } from '../core/console.jsx'
import { navigate, pathTo } from '../core/router.js'
import { t } from '../core/words.js'
import { Logo } from './logo.jsx'

export const TOP_BAR_HEIGHT = 50

function Choice({ trigger, children, ...rest }) {
  return (
    <Dropdown triggerType="click" trigger={<Button text className="top-bar-button">{trigger}</Button>} {...rest}>
      {children}
    </Dropdown>
  )
}

/** `global`: the product has no regions, so there is none to choose. */
export function TopBar({ global }) {
  const { products, regions, region, setRegion, session, signOut } = useConsole()
  const current = regions.find((candidate) => candidate.id === region)
  return (
    <header className="top-bar">
      <Choice trigger={<><Icon type="menu" size="small" /> {t('Products')}</>}>
        <Menu className="top-bar-menu">
          {products.map((product) => (
            <Menu.Item key={product.id} onClick={() => navigate(pathTo(product.id))}>{product.title}</Menu.Item>
          ))}
        </Menu>
      </Choice>
      <a className="top-bar-brand" onClick={() => navigate('/')}><Logo /> {t('Cloud Console')}</a>
      <a className="top-bar-link" onClick={() => navigate('/')}>{t('Home')}</a>
      {!global && (
        <Choice trigger={<>{current?.label ?? region} <Icon type="arrow-down" size="xs" /></>}>
          <Menu className="top-bar-menu" selectMode="single" selectedKeys={[region]}>
            {regions.map(({ id, label }) => (
              <Menu.Item key={id} onClick={() => setRegion(id)}>{label}</Menu.Item>
            ))}
          </Menu>
        </Choice>
      )}
      <span className="top-bar-space" />
      <Choice trigger={<><Icon type="user-fill" size="small" /> {session.user_name} <Icon type="arrow-down" size="xs" /></>} align="tr br">
        <Menu className="top-bar-menu">
          <Menu.Item disabled>{t('Account ID: {id}', { id: session.account_id })}</Menu.Item>
          <Menu.Divider />
          <Menu.Item onClick={signOut}>{t('Sign Out')}</Menu.Item>
        </Menu>
      </Choice>
    </header>
  )
}
