// What comes over a page by itself: above everything that the kit draws (z-index 1500 and more), closed by a named button.

export const CloseButton = ({ label, onClick }) => (
  <button type="button" className="over-close" aria-label={label} title={label} onClick={onClick}>×</button>
)

/** A dialog whose backdrop takes every click. */
export function BlockingDialog({ title, className = '', closeLabel, onClose, children }) {
  return (
    <div className={`over-backdrop ${className}`}>
      <div className="over-dialog" role="dialog" aria-modal="true" aria-label={title}>
        <div className="over-heading"><h2>{title}</h2><CloseButton label={closeLabel} onClick={onClose} /></div>
        {children}
      </div>
    </div>
  )
}
