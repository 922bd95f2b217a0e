/** The icons of the app, under the names of what they stand for, in the colour of the text around them. */

import {
  ArrowDown,
  ArrowLeft,
  ArrowUpDown,
  Bell,
  ChartLine,
  Check,
  ChevronDown,
  ChevronRight,
  ChevronUp,
  CircleCheck,
  Clock,
  Contrast,
  Copy,
  CopyPlus,
  Download,
  EllipsisVertical,
  Expand,
  FileText,
  Folder,
  Gauge,
  GitCompareArrows,
  GripVertical,
  Info,
  KeyRound,
  Layers,
  LayoutDashboard,
  Lightbulb,
  Link2,
  ListPlus,
  LoaderCircle,
  Lock,
  LockOpen,
  LogOut,
  type LucideIcon,
  type LucideProps,
  Moon,
  Pause,
  Pencil,
  Pin,
  PinOff,
  Play,
  Plus,
  RefreshCw,
  Scissors,
  Search,
  Server,
  Settings,
  Square,
  SquareTerminal,
  Star,
  StickyNote,
  Sun,
  Table,
  Tag,
  Trash2,
  TriangleAlert,
  Upload,
  UserRound,
  UsersRound,
  Wifi,
  X,
  ZoomOut,
} from 'lucide-react';
import type { ReactNode } from 'react';

export type IconProps = LucideProps;
export type Icon = (props: IconProps) => ReactNode;

function icon(Drawn: LucideIcon): Icon {
  return (props) => <Drawn size={16} strokeWidth={1.75} aria-hidden="true" focusable="false" {...props} />;
}

export const IconAdvice = icon(Lightbulb);
export const IconAlert = icon(TriangleAlert);
export const IconArrowDown = icon(ArrowDown);
export const IconAuto = icon(Contrast);
export const IconBack = icon(ArrowLeft);
export const IconChart = icon(ChartLine);
export const IconBell = icon(Bell);
export const IconCheck = icon(CircleCheck);
export const IconChevronDown = icon(ChevronDown);
export const IconChevronRight = icon(ChevronRight);
export const IconChevronUp = icon(ChevronUp);
export const IconClock = icon(Clock);
export const IconClone = icon(CopyPlus);
export const IconClose = icon(X);
export const IconCompare = icon(GitCompareArrows);
export const IconCopy = icon(Copy);
export const IconDownload = icon(Download);
export const IconEdit = icon(Pencil);
export const IconMove = icon(GripVertical);
export const IconNote = icon(StickyNote);
export const IconExtend = icon(ListPlus);
export const IconFile = icon(FileText);
export const IconFolder = icon(Folder);
export const IconInfo = icon(Info);
export const IconKey = icon(KeyRound);
export const IconLimits = icon(Gauge);
export const IconLink = icon(Link2);
export const IconLock = icon(Lock);
export const IconLogout = icon(LogOut);
export const IconMenu = icon(EllipsisVertical);
export const IconMoon = icon(Moon);
export const IconPause = icon(Pause);
export const IconPin = icon(Pin);
export const IconPlay = icon(Play);
export const IconPlus = icon(Plus);
export const IconRefresh = icon(RefreshCw);
export const IconResize = icon(Expand);
export const IconRunning = icon(LoaderCircle);
export const IconScissors = icon(Scissors);
export const IconSearch = icon(Search);
export const IconServer = icon(Server);
export const IconSettings = icon(Settings);
export const IconShare = icon(Layers);
export const IconSort = icon(ArrowUpDown);
export const IconStar = icon(Star);
export const IconStop = icon(Square);
export const IconSun = icon(Sun);
export const IconTable = icon(Table);
export const IconTerminal = icon(SquareTerminal);
export const IconTick = icon(Check);
export const IconTiles = icon(LayoutDashboard);
export const IconTrash = icon(Trash2);
export const IconTag = icon(Tag);
export const IconUnpin = icon(PinOff);
export const IconUnlock = icon(LockOpen);
export const IconUpload = icon(Upload);
export const IconUser = icon(UserRound);
export const IconUsers = icon(UsersRound);
export const IconWifi = icon(Wifi);
export const IconZoomOut = icon(ZoomOut);
