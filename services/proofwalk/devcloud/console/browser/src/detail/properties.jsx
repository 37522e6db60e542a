/** Label and value pairs in two columns. */
export function Properties({ items }) {
  return (
    <div className="properties">
      {items.map(({ id, label, value }) => (
        <div key={id} className="property">
          <span className="property-label">{label}</span>
          <span className="property-value">{value}</span>
        </div>
      ))}
    </div>
  )
}
