// The create form over a list: a drawer from the right, or a dialog. Closing it throws the form away.
import { Dialog, Drawer } from '@alicloud/console-components'
import { Wizard } from './wizard.jsx'

const DRAWER_WIDTH = 760
const DIALOG_STYLE = { width: 680 }

export function CreateOverlay({ resource, onClose, ...rest }) {
  const { label, container } = resource.create
  const wizard = <Wizard resource={resource} onCancel={onClose} {...rest} />
  if (container === 'dialog') {
    return (
      <Dialog visible title={label} footer={false} style={DIALOG_STYLE} onClose={onClose} onCancel={onClose} closeMode={['close', 'esc']}>
        {wizard}
      </Dialog>
    )
  }
  return (
    <Drawer visible title={label} placement="right" width={DRAWER_WIDTH} onClose={onClose} closeMode={['close', 'esc']} className="create-drawer">
      {wizard}
    </Drawer>
  )
}
