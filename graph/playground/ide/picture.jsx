// The base of both pictures: an SVG as wide as the panel. The pointer and the arrow keys select a
// row and show its hint.
import { useEffect, useRef, useState } from 'react';

// Picture draws rows { key, y, height, label, hint, content }. children(width) is the background.
export function Picture({ label, height, rows, minWidth = 0, children }) {
  const box = useRef(null);
  const [room, setRoom] = useState(0);
  const [at, setAt] = useState(0); // the row that the Tab key reaches
  const [hint, setHint] = useState(null);
  useEffect(() => {
    const observer = new ResizeObserver(([{ contentRect }]) => setRoom(Math.floor(contentRect.width)));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  const width = Math.max(room, minWidth);
  const current = Math.min(at, rows.length - 1);
  const move = (event) => {
    if (event.key === 'Escape') setHint(null);
    const to = { ArrowDown: current + 1, ArrowUp: current - 1, Home: 0, End: rows.length - 1 }[event.key];
    if (!(to in rows)) return;
    event.preventDefault();
    setAt(to);
    box.current.querySelectorAll('[role="listitem"]')[to].focus();
  };
  const show = (row) => ({ currentTarget }) => setHint({ row, place: currentTarget.getBoundingClientRect() });
  const hide = () => setHint(null);
  return (
    <div className="picture" ref={box} onScroll={hide}>
      {room > 0 && (
        <svg width={width} height={height} role="list" aria-label={label} onKeyDown={move}>
          {children(width)}
          {rows.map((row, index) => (
            <g
              key={row.key}
              role="listitem"
              aria-label={row.label}
              tabIndex={index === current ? 0 : -1}
              onFocus={show(row)}
              onBlur={hide}
              onMouseEnter={show(row)}
              onMouseLeave={hide}
              {...row.data}
            >
              <rect className="row" x="0" y={row.y} width={width} height={row.height} rx="3" />
              {row.content(width)}
            </g>
          ))}
        </svg>
      )}
      {hint && <Hint place={hint.place} lines={hint.row.hint} />}
    </div>
  );
}

// Hint is to the left of the picture, or on narrow screens above or below the row.
function Hint({ place, lines }) {
  const upper = place.top < innerHeight / 2;
  const [under, over] = [place.bottom + 4, innerHeight - place.top + 4];
  const style = place.left > 360
    ? { right: innerWidth - place.left + 8, ...(upper ? { top: place.top } : { bottom: innerHeight - place.bottom }) }
    : { left: Math.max(8, Math.min(place.left, innerWidth - 348)), ...(upper ? { top: under } : { bottom: over }) };
  return (
    <dl className="hint" style={style} aria-hidden="true">
      {lines.map(([name, value], index) => (
        <div key={index}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
