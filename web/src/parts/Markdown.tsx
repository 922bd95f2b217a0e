import type { ReactNode } from 'react';
import { type Block, type Inline, parse } from '../lib/markdown';
import styles from './Markdown.module.css';

/** A text of people. It becomes elements, never HTML: whatever is in it, nothing of it runs. */
export default function Markdown({ text }: { text: string }) {
  return <div className={`${styles.markdown} app-wrap-anywhere`}>{parse(text).map(block)}</div>;
}

function block(given: Block, key: number): ReactNode {
  switch (given.kind) {
    case 'heading': {
      const Heading = given.level === 1 ? 'h3' : given.level === 2 ? 'h4' : 'h5'; // below the headings of the page
      return (
        <Heading key={key} className={styles.heading}>
          {given.parts.map(part)}
        </Heading>
      );
    }
    case 'code':
      return <pre key={key}>{given.text}</pre>;
    case 'list': {
      // biome-ignore lint/suspicious/noArrayIndexKey: items have no names, and a new text is parsed anew
      const items = given.items.map((parts, i) => <li key={i}>{parts.map(part)}</li>);
      return given.ordered ? <ol key={key}>{items}</ol> : <ul key={key}>{items}</ul>;
    }
    case 'quote':
      return <blockquote key={key}>{given.blocks.map(block)}</blockquote>;
    case 'rule':
      return <hr key={key} />;
    default:
      return <p key={key}>{given.parts.map(part)}</p>;
  }
}

function part(given: Inline, key: number): ReactNode {
  switch (given.kind) {
    case 'code':
      return <code key={key}>{given.text}</code>;
    case 'strong':
      return <strong key={key}>{given.parts.map(part)}</strong>;
    case 'em':
      return <em key={key}>{given.parts.map(part)}</em>;
    case 'link':
      return (
        <a
          key={key}
          className="app-link"
          data-inline
          href={given.href}
          target="_blank"
          rel="noopener noreferrer nofollow"
        >
          {given.parts.map(part)}
        </a>
      );
    default:
      return given.text;
  }
}
