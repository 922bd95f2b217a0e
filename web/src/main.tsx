import './theme/mantine';
import './theme/app.css';
import { createRoot } from 'react-dom/client';
import { App } from './App';
import { keepPageKey } from './api/client';
import { fetchPage } from './pages/lazy';

keepPageKey();
fetchPage(location.pathname);
createRoot(document.getElementById('root') as HTMLElement).render(<App />);
